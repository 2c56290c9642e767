// Which values make a URI from a template.
#include <algorithm>

#include "mcp/protocol/uri_template.hpp"

namespace gantry::mcp {
namespace {

constexpr std::size_t kMaxUri = 2048;

bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool is_digit(char c) {
    return c >= '0' && c <= '9';
}
bool is_unreserved(char c) {
    return is_letter(c) || is_digit(c) || c == '-' || c == '.' || c == '_' || c == '~';
}
int hex(char c) {
    if (is_digit(c)) return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

/// Differences between the operators (RFC 6570, appendix A).
struct Style {
    std::string_view first = "";
    char separator = ',';
    bool named = false;
    bool reserved = false;
};
Style style_of(char op) {
    switch (op) {
        case '+': return {.reserved = true};
        case '#': return {.first = "#", .reserved = true};
        case '.': return {.first = ".", .separator = '.'};
        case '/': return {.first = "/", .separator = '/'};
        case ';': return {.first = ";", .separator = ';', .named = true};
        case '?': return {.first = "?", .separator = '&', .named = true};
        case '&': return {.first = "&", .separator = '&', .named = true};
        default: return {};
    }
}

/// Percent-decodes; empty if the expansion could not have produced one of the characters.
std::optional<std::string> decoded(std::string_view value, const Style& style) {
    std::string out;
    for (std::size_t i = 0; i < value.size(); ++i) {
        const char c = value[i];
        if (c == '%') {
            if (i + 2 >= value.size() || hex(value[i + 1]) < 0 || hex(value[i + 2]) < 0) return {};
            out.push_back(static_cast<char>(hex(value[i + 1]) * 16 + hex(value[i + 2])));
            i += 2;
        } else if (is_unreserved(c) || (style.reserved && std::string_view(":/?#[]@!$&'()*+,;=").contains(c))) {
            out.push_back(c);
        } else {
            return {};
        }
    }
    return out;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    for (;;) {
        const std::size_t at = text.find(separator);
        parts.push_back(text.substr(0, at));
        if (at == std::string_view::npos) return parts;
        text.remove_prefix(at + 1);
    }
}

bool read_named(std::string_view text, const Style& style, const std::vector<std::string>& names, StringMap& out) {
    for (const std::string_view pair : split(text, style.separator)) {
        const std::size_t equals = pair.find('=');
        const std::string name(pair.substr(0, equals));
        if (std::ranges::find(names, name) == names.end() || out.contains(name)) return false;
        const auto value = decoded(equals == std::string_view::npos ? "" : pair.substr(equals + 1), style);
        if (!value) return false;
        out.emplace(name, *value);
    }
    return true;
}

bool read_listed(std::string_view text, const Style& style, const std::vector<std::string>& names, StringMap& out) {
    // With reserved characters a single variable may contain the separator itself.
    const auto values = names.size() == 1 && style.reserved ? std::vector{text} : split(text, style.separator);
    if (values.size() != names.size()) return false;
    for (std::size_t i = 0; i < names.size(); ++i) {
        const auto value = decoded(values[i], style);
        if (!value || value->empty()) return false;
        out.insert_or_assign(names[i], *value);
    }
    return true;
}

}  // namespace

/// Tries the longest expansion first. Dead ends are memoized, so that the time is at most quadratic in the URI's
/// length.
class UriTemplate::Extraction {
public:
    Extraction(const UriTemplate& pattern, std::string_view uri)
        : parts_(pattern.parts_), uri_(uri), dead_(parts_.size() * (uri.size() + 1)) {}

    std::optional<StringMap> run() { return match(0, 0) ? std::optional(std::move(found_)) : std::nullopt; }

private:
    bool match(std::size_t part, std::size_t at) {
        if (part == parts_.size()) return at == uri_.size();
        if (is_dead(part, at)) return false;
        const bool matched = parts_[part].is_literal() ? match_literal(part, at) : match_expression(part, at);
        if (!matched) dead_[part * (uri_.size() + 1) + at] = true;
        return matched;
    }

    /// Known or obvious dead end; checked first so that no value is decoded in vain.
    bool is_dead(std::size_t part, std::size_t at) const {
        if (part == parts_.size()) return at != uri_.size();
        if (dead_[part * (uri_.size() + 1) + at]) return true;
        return parts_[part].is_literal() && !uri_.substr(at).starts_with(parts_[part].literal);
    }

    bool match_literal(std::size_t part, std::size_t at) {
        const std::string& literal = parts_[part].literal;
        return uri_.substr(at).starts_with(literal) && match(part + 1, at + literal.size());
    }

    bool match_expression(std::size_t part, std::size_t at) {
        const Part& expression = parts_[part];
        const Style style = style_of(expression.op);
        const std::string_view rest = uri_.substr(at);
        if (rest.starts_with(style.first)) {
            for (std::size_t size = rest.size(); size > style.first.size(); --size) {
                if (is_dead(part + 1, at + size)) continue;
                const std::string_view text = rest.substr(style.first.size(), size - style.first.size());
                StringMap values;
                const bool fits = style.named ? read_named(text, style, expression.variables, values)
                                              : read_listed(text, style, expression.variables, values);
                if (!fits || !match(part + 1, at + size)) continue;
                found_.insert(values.begin(), values.end());
                return true;
            }
        }
        return !style.first.empty() && match(part + 1, at);
    }

    const std::vector<Part>& parts_;
    std::string_view uri_;
    std::vector<bool> dead_;  // by part, then by position
    StringMap found_;
};

std::optional<StringMap> UriTemplate::extract(std::string_view uri) const {
    if (uri.size() > kMaxUri) return {};
    return Extraction(*this, uri).run();
}

}  // namespace gantry::mcp
