#include "gantry/describe.hpp"

#include <algorithm>

namespace gantry::describe {
namespace {

constexpr std::size_t kMaxKeyBytes = 128;

void append_step(std::string& out, const Path& step) {
    out.push_back('/');
    if (step.index != Path::kMember) {
        out.append(std::to_string(step.index));
        return;
    }
    std::size_t end = std::min(step.key.size(), kMaxKeyBytes);
    const bool cut = end < step.key.size();
    while (cut && end > 0 && (static_cast<unsigned char>(step.key[end]) & 0xC0) == 0x80) --end;
    for (const char c : step.key.substr(0, end)) {
        if (c == '~') {
            out.append("~0");
        } else if (c == '/') {
            out.append("~1");
        } else {
            out.push_back(c);
        }
    }
    if (cut) out.append("…");
}

JsonObject reference(const std::string& name) {
    return {{"$ref", "#/$defs/" + name}};
}

/// A C++ name as a word that needs no escaping in a pointer or URI.
std::string plain_word(std::string_view name) {
    std::string out(name.substr(name.rfind(':') + 1));
    std::ranges::replace_if(
        out, [](char c) { return !((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')); }, '_');
    return out;
}

}  // namespace

std::unexpected<Error> refuse(const Path& path, std::string_view expectation) {
    std::vector<const Path*> way;
    for (const Path* step = &path; step->parent; step = step->parent) way.push_back(step);
    std::string message;
    for (auto step = way.rbegin(); step != way.rend(); ++step) append_step(message, **step);
    if (message.empty()) message = "(root)";
    return fail(ErrorCode::kSchema, message.append(": ").append(expectation));
}

std::string SchemaBuilder::unused_name(std::string_view name) const {
    const std::string word = plain_word(name);
    std::string candidate = word;
    const auto taken = [&](const std::string& text) {
        return std::ranges::any_of(open_, [&](const Open& open) { return open.name == text; }) ||
               std::ranges::any_of(defined_, [&](const auto& known) { return known.second == text; });
    };
    for (int n = 2; taken(candidate); ++n) candidate = word + std::to_string(n);
    return candidate;
}

std::optional<JsonObject> SchemaBuilder::enter(const void* type, std::string_view name) {
    for (const auto& [known, known_name] : defined_) {
        if (known == type) return reference(known_name);
    }
    for (Open& open : open_) {
        if (open.type != type) continue;
        if (type == root_) return JsonObject{{"$ref", "#"}};
        open.referenced = true;
        return reference(open.name);
    }
    open_.push_back({type, unused_name(name), false});
    return std::nullopt;
}

JsonObject SchemaBuilder::leave(JsonObject schema) {
    const Open done = std::move(open_.back());
    open_.pop_back();
    if (!done.referenced) return schema;
    defined_.emplace_back(done.type, done.name);
    definitions_.set(done.name, std::move(schema));
    return reference(done.name);
}

Json SchemaBuilder::finish(JsonObject schema) && {
    if (!definitions_.empty()) schema.set("$defs", std::move(definitions_));
    return schema;
}

void ObjectSchema::add(std::string_view name, JsonObject schema, std::string_view description, bool required) {
    if (!description.empty()) schema.set("description", description);
    properties_.set(std::string(name), std::move(schema));
    if (required) required_.emplace_back(name);
}

JsonObject ObjectSchema::finish() && {
    JsonObject out{{"type", "object"}, {"properties", std::move(properties_)}};
    if (!required_.empty()) out.set("required", std::move(required_));
    out.set("additionalProperties", false);
    return out;
}

}  // namespace gantry::describe
