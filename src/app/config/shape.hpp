#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/config/about.hpp"
#include "gantry/json.hpp"

namespace gantry::app {

/// What may appear at one place of the file, as JSON Schema.
///
/// Never written by hand: the code that reads the file runs once without one, and its sections record here what they
/// read (see Section). So the schema has exactly the keys the reader accepts. Annotations of ours say what the schema
/// language cannot: `x-gantry-type`, `x-gantry-default` where the default is no value, and `x-gantry-reload`, with
/// exceptions in `x-gantry-reload-note`. The reference of keys is made from them (reference.hpp).
class Shape {
public:
    Shape() : owned_(std::make_unique<Definitions>()), definitions_(owned_.get()) {}

    /// Text for users who edit the file; the first call wins.
    void describe(std::string_view description);
    /// It is the value of a key that is declared so; the first call wins.
    void declare(const About& about, Reload reload);
    void set_default(Json value) { default_ = std::move(value); }
    /// What users call the kind of value; more than one: any of them.
    void add_type(std::string_view type);

    /// Adds an alternative for its value.
    void may_be(Json schema);
    /// Adds one of these words. The reference names only `canonical`, where others mean the same.
    void may_be_word(const std::vector<std::string_view>& words, const std::vector<std::string_view>& canonical);
    void may_be_word(const std::vector<std::string_view>& words) { may_be_word(words, words); }
    /// Adds a text with references, where the file allows them.
    void may_refer();
    /// References below here are not resolved when the file is read.
    void without_references() { references_ = false; }
    /// It may be a map with this key.
    Shape& key(std::string_view key);
    /// Declares another spelling of that key.
    void alias(std::string_view key, std::string_view other);
    /// It may be a map, and this rule must hold for it.
    void must(Json rule);
    /// It may be a list; returns the shape of its elements.
    Shape& element();
    /// It may be a map with any keys that match `names`; returns the shape of its values.
    Shape& member(Json names);

    /// Names this shape, so that it is described once and referenced elsewhere. True: not described yet, do it here.
    struct Definition {
        Shape& shape;
        bool is_new;
    };
    Definition definition(std::string_view name);

    /// The whole document, for the outermost shape.
    Json document(std::string_view title) const;
    Json schema() const;

private:
    struct Map {
        std::vector<std::pair<std::string, std::unique_ptr<Shape>>> keys;
        std::vector<std::pair<std::string, std::string>> aliases;
        JsonArray rules;
    };
    using Definitions = std::map<std::string, std::unique_ptr<Shape>, std::less<>>;

    Shape(Definitions* definitions, bool references) : references_(references), definitions_(definitions) {}
    std::unique_ptr<Shape> child() const { return std::unique_ptr<Shape>(new Shape(definitions_, references_)); }
    Map& map();
    Json map_schema() const;

    JsonObject annotations() const;
    std::string type() const;

    bool references_ = true;
    std::string description_;
    bool declared_ = false;
    About about_;
    Reload reload_ = Reload::kAtOnce;
    std::vector<std::string> types_;
    Json default_;
    JsonArray alternatives_;
    std::unique_ptr<Map> map_;
    std::unique_ptr<Shape> element_;
    Json names_;
    std::unique_ptr<Shape> member_;
    std::unique_ptr<Definitions> owned_;  // owned by the outermost shape
    Definitions* definitions_;            // of the whole document
};

}  // namespace gantry::app
