#include "app/config/render_yaml.hpp"

#include <algorithm>
#include <cctype>

namespace gantry::app {
namespace {

/// Words that some YAML reader takes for a boolean or null.
bool is_reserved(std::string_view text) {
    static constexpr std::string_view kWords[] = {"true", "false", "null", "yes", "no", "on", "off", "y", "n"};
    return std::ranges::any_of(kWords, [text](std::string_view word) {
        return std::ranges::equal(text, word, [](char a, char b) { return std::tolower(a) == b; });
    });
}

std::string scalar_or_list(const Json& value) {
    if (const std::string* const text = value.if_string()) return yaml_scalar(*text);
    const JsonArray* const items = value.if_array();
    if (items == nullptr) return flow_yaml(value);
    std::string out = "[";
    for (const Json& item : *items) out.append(out.size() == 1 ? "" : ", ").append(scalar_or_list(item));
    return out + "]";
}

}  // namespace

std::string yaml_scalar(std::string_view text) {
    const auto is_plain = [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) || std::string_view("_./-+").contains(c);
    };
    const bool starts_plain =
        !text.empty() && (std::isalpha(static_cast<unsigned char>(text.front())) || text.front() == '/');
    if (starts_plain && std::ranges::all_of(text, is_plain) && !is_reserved(text)) return std::string(text);
    return Json(text).dump();
}

std::string flow_yaml(const Json& value) {
    std::string out;
    if (const JsonArray* const items = value.if_array()) {
        for (const Json& item : *items) out.append(out.empty() ? "" : ", ").append(flow_yaml(item));
        return "[" + out + "]";
    }
    if (const JsonObject* const members = value.if_object()) {
        for (const auto& [key, member] : *members)
            out.append(out.empty() ? "" : ", ").append(Json(key).dump()).append(": ").append(flow_yaml(member));
        return "{" + out + "}";
    }
    return value.dump();
}

std::string block_yaml(const JsonObject& members, std::size_t indent, std::string_view line_end) {
    const std::string margin(indent, ' ');
    std::string out;
    for (const auto& [key, value] : members) {
        if (!out.empty()) out.append(line_end).append(margin);
        out.append(yaml_scalar(key)).append(":");
        const JsonObject* const inner = value.if_object();
        if (inner != nullptr && !inner->empty()) {
            out.append(line_end).append(indent + 2, ' ').append(block_yaml(*inner, indent + 2, line_end));
        } else {
            out.append(" ").append(scalar_or_list(value));
        }
    }
    return out;
}

}  // namespace gantry::app
