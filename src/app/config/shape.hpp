#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gantry/json.hpp"

namespace gantry::app {

/// What may stand at one place of the file, told as JSON Schema.
///
/// Nobody writes it by hand: the code that reads the file runs once without one, and its sections note here what they
/// ask for (see Section). So the schema knows exactly the keys the reader knows.
class Shape {
public:
    Shape() : owned_(std::make_unique<Definitions>()), definitions_(owned_.get()) {}

    /// For whoever edits the file; the first one counts.
    void describe(std::string_view description);
    void set_default(Json value) { default_ = std::move(value); }

    /// One thing it may be; said several times, any of them.
    void may_be(Json schema);
    /// Or a text that refers to a value, where the file may do so.
    void may_refer();
    /// Nothing below here is resolved when the file is read.
    void without_references() { references_ = false; }
    /// It may be a map with this key.
    Shape& key(std::string_view key);
    /// Another spelling of that key.
    void alias(std::string_view key, std::string_view other);
    /// It may be a map, and this must hold for it.
    void must(Json rule);
    /// It may be a list; of what?
    Shape& element();
    /// It may be a map with any keys that fit `names`; to what?
    Shape& member(Json names);

    /// This is what `name` stands for: told once, referred to from everywhere. True: not told yet, do it here.
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

    bool references_ = true;
    std::string description_;
    Json default_;
    JsonArray alternatives_;
    std::unique_ptr<Map> map_;
    std::unique_ptr<Shape> element_;
    Json names_;
    std::unique_ptr<Shape> member_;
    std::unique_ptr<Definitions> owned_;  // by the outermost shape
    Definitions* definitions_;            // of the whole document
};

}  // namespace gantry::app
