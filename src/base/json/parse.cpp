#include <utility>
#include <vector>

#include "base/json/reader.hpp"
#include "gantry/json.hpp"

namespace gantry {

/// Turns the reader's events into a tree. While an object or array is open
/// nothing is added to the ones around it, so pointers to them hold.
class JsonBuilder {
public:
    void open(Json::Kind kind, const char*) {
        Json& place = next();
        if (kind == Json::Kind::kObject)
            place.value_.emplace<JsonObject>();
        else
            place.value_.emplace<JsonArray>();
        open_.push_back(&place);
    }
    void close(Json::Kind kind, const char*) {
        if (kind == Json::Kind::kObject) std::get_if<JsonObject>(&open_.back()->value_)->reindex();
        open_.pop_back();
    }
    void key(std::string_view key, const char*) {
        auto& members = std::get_if<JsonObject>(&open_.back()->value_)->members_;
        members.emplace_back(std::string(key), Json());
        member_ = &members.back().second;
    }
    void string(std::string_view token, bool escaped) {
        const std::string_view inside = token.substr(1, token.size() - 2);
        auto& text = next().value_.emplace<std::string>();
        if (escaped)
            json::unescape_to(inside, text);
        else
            text = inside;
    }
    void number(std::string_view token) { next().value_.emplace<Json::Number>(Json::Number{std::string(token)}); }
    void literal(Json::Kind kind, std::string_view token) {
        Json& place = next();
        if (kind == Json::Kind::kBool) place.value_.emplace<bool>(token.front() == 't');
    }

    Json take() { return std::move(root_); }

private:
    Json& next() {
        if (open_.empty()) return root_;
        if (auto* array = std::get_if<JsonArray>(&open_.back()->value_)) return array->emplace_back();
        return *member_;
    }

    Json root_;
    Json* member_ = nullptr;
    std::vector<Json*> open_;
};

Result<Json> Json::parse(std::string_view text, const JsonLimits& limits) {
    JsonBuilder builder;
    if (const json::Fault fault = json::Reader<JsonBuilder>(text, limits, builder).read()) {
        return gantry::fail(json::to_error(fault));
    }
    return builder.take();
}

}  // namespace gantry
