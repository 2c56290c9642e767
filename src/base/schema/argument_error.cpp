#include "base/schema/argument_error.hpp"

#include <set>

#include "base/nearest.hpp"
#include "base/schema/type_text.hpp"

namespace gantry::schema {
namespace {

/// Maximum number of schema keys compared with an unknown argument.
constexpr std::size_t kMostCompared = 200;

/// Whether the issue is about that keyword, e.g. "(required)" in "(root): must have the property 'b' (required)".
bool is_about(const ValidationIssue& issue, std::string_view keyword) {
    return issue.keyword_path.ends_with("/" + std::string(keyword));
}

/// The issue's text without the leading place and the trailing keyword.
std::string expectation(const ValidationIssue& issue) {
    std::string text = issue.message;
    if (const auto colon = text.find(": "); colon != std::string::npos) text.erase(0, colon + 2);
    if (const auto bracket = text.rfind(" ("); bracket != std::string::npos && text.ends_with(')')) text.erase(bracket);
    return text;
}

/// The name between the first and the last quote.
std::string quoted_name(const std::string& text) {
    const auto first = text.find('\'');
    const auto last = text.rfind('\'');
    return first == last ? std::string() : text.substr(first + 1, last - first - 1);
}

/// "/a~1b/0" as "a/b/0": the argument and the path inside it.
std::string place(const ValidationIssue& issue) {
    std::string out;
    for (std::size_t i = 1; i < issue.instance_path.size(); ++i) {
        const char c = issue.instance_path[i];
        const char next = i + 1 < issue.instance_path.size() ? issue.instance_path[i + 1] : '\0';
        if (c == '~' && (next == '0' || next == '1')) {
            out += next == '0' ? '~' : '/';
            ++i;
        } else {
            out += c;
        }
    }
    return out;
}

std::string with_type(const std::string& name, const Json& schema) {
    const Json* property = property_of(schema, name);
    const std::string type = property == nullptr ? "any" : type_text(schema, *property);
    return "'" + name + "'" + (type == "any" ? "" : " (" + type + ")");
}

std::string unknown_argument(const std::string& name, const Json& schema) {
    std::set<std::string_view> known;
    const Json* properties = schema.is_object() ? schema.find("properties") : nullptr;
    if (properties != nullptr && properties->is_object()) {
        for (const auto& [key, value] : *properties->if_object()) {
            if (known.size() < kMostCompared) known.insert(key);
        }
    }
    return "unknown argument '" + name + "'" + did_you_mean(nearest(name, known));
}

std::string told(const ValidationIssue& issue, const Json& schema) {
    const bool top = issue.instance_path.empty();
    const std::string name = place(issue);
    if (top && is_about(issue, "required"))
        return "missing required argument " + with_type(quoted_name(issue.message), schema);
    const bool direct = !top && issue.instance_path.rfind('/') == 0;
    if (direct && (is_about(issue, "additionalProperties") || is_about(issue, "unevaluatedProperties")))
        return unknown_argument(name, schema);
    if (direct && is_about(issue, "type")) {
        const Json* property = property_of(schema, name);
        const std::string type = property == nullptr ? "any" : type_text(schema, *property);
        if (type != "any") return "argument '" + name + "' must be " + must_be(type);
    }
    return (top ? std::string("the arguments ") : "argument '" + name + "' ") + expectation(issue);
}

}  // namespace

std::string must_be(const std::string& type) {
    if (type == "number" || type == "string") return "a " + type;
    if (type == "integer" || type == "array" || type == "object") return "an " + type;
    if (type == "boolean") return "true or false";
    return type.ends_with("[]") && !type.contains('|') ? "an array (" + type + ")" : type;
}

Error argument_error(const ValidationReport& report, const Json& input_schema) {
    if (report.limit_reached) return report.to_error().within("arguments");
    std::string text;
    for (const ValidationIssue& issue : report.issues) {
        text.append(text.empty() ? "" : "; ").append(told(issue, input_schema));
    }
    return Error(ErrorCode::kSchema, std::move(text)).retryable(false);
}

}  // namespace gantry::schema
