#include <iterator>
#include <utility>
#include <variant>
#include <vector>

#include "base/json/reader.hpp"
#include "gantry/json.hpp"

namespace gantry {

/// Builds a tree from the reader's events. Finished values wait on a stack until their object or
/// array ends and takes them in one allocation, so none holds more memory than it needs.
class JsonBuilder {
public:
    JsonBuilder() {
        open_.reserve(8);
        members_.reserve(16);
        elements_.reserve(8);
    }

    void open(Json::Kind kind, const char*) {
        const bool object = kind == Json::Kind::kObject;
        open_.push_back({object, object ? members_.size() : elements_.size(), {}});
    }
    void close(Json::Kind, const char*) {
        const bool is_object = open_.back().object;
        const auto first = static_cast<std::ptrdiff_t>(open_.back().first);
        open_.pop_back();
        if (is_object) {
            JsonObject object;
            take(members_, first, object.members_);
            object.reindex();
            add(std::move(object));
        } else {
            JsonArray array;
            take(elements_, first, array);
            add(std::move(array));
        }
    }
    void key(std::string_view key, const char*) { open_.back().key = key; }
    void string(std::string_view token, bool escaped) {
        const std::string_view inside = token.substr(1, token.size() - 2);
        std::string text;
        if (escaped)
            json::unescape_to(inside, text);
        else
            text = inside;
        add(std::move(text));
    }
    void number(std::string_view token) { add(Json::Number{std::string(token)}); }
    void literal(Json::Kind kind, std::string_view token) {
        if (kind == Json::Kind::kBool)
            add(token.front() == 't');
        else
            add(std::monostate());
    }

    Json take_root() { return std::move(elements_.front()); }

private:
    template <class T>
    static void take(std::vector<T>& stack, std::ptrdiff_t first, std::vector<T>& to) {
        to.assign(std::move_iterator(stack.begin() + first), std::move_iterator(stack.end()));
        stack.erase(stack.begin() + first, stack.end());
    }

    template <class T>
    void add(T value) {
        const bool member = !open_.empty() && open_.back().object;
        Json& place =
            member ? members_.emplace_back(std::move(open_.back().key), Json()).second : elements_.emplace_back();
        place.value_.template emplace<T>(std::move(value));
    }

    struct Open {
        bool object;
        std::size_t first;  // index of its first value on the stack
        std::string key;    // of the member being read
    };

    std::vector<Json> elements_;
    std::vector<JsonObject::Member> members_;
    std::vector<Open> open_;
};

Result<Json> Json::parse(std::string_view text, const JsonLimits& limits) {
    JsonBuilder builder;
    if (const json::Fault fault = json::Reader<JsonBuilder>(text, limits, builder).read()) {
        return gantry::fail(json::to_error(fault));
    }
    return builder.take_root();
}

}  // namespace gantry
