#include "mcp/protocol/uri_template.hpp"

#include <algorithm>

#include "base/try.hpp"

namespace gantry::mcp {
namespace {

constexpr std::string_view kOperators = "+#./;?&";

bool is_name_char(char c) noexcept {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
}

/// Names with modifiers, in any combination.
bool is_variable_list(std::string_view text) {
    return !text.empty() &&
           std::ranges::all_of(text, [](char c) { return is_name_char(c) || std::string_view(",%:*-").contains(c); });
}

/// Names separated by commas; empty if there is anything else.
std::vector<std::string> plain_names(std::string_view text) {
    std::vector<std::string> names;
    for (;;) {
        const std::size_t comma = text.find(',');
        const std::string_view name = text.substr(0, comma);
        if (name.empty() || !std::ranges::all_of(name, is_name_char)) return {};
        names.emplace_back(name);
        if (comma == std::string_view::npos) return names;
        text.remove_prefix(comma + 1);
    }
}

/// Whether `c` may occur in an expansion of that kind of expression.
bool may_contain(char op, char c) noexcept {
    switch (op) {
        case '+':
        case '#': return true;
        case '?':
        case '&': return c != '#';
        case '/': return c != '?' && c != '#';
        default: return c != '/' && c != '?' && c != '#';
    }
}

}  // namespace

Result<UriTemplate> UriTemplate::parse(std::string_view text) {
    return parse(text, Levels::kAll);
}

Result<UriTemplate> UriTemplate::parse_extractable(std::string_view text) {
    return parse(text, Levels::kExtractable);
}

Result<UriTemplate> UriTemplate::parse(std::string_view text, Levels levels) {
    UriTemplate out;
    while (!text.empty()) {
        const std::size_t brace = text.find_first_of("{}");
        const std::string_view literal = text.substr(0, brace);
        if (!literal.empty()) {
            out.parts_.push_back({.literal = std::string(literal)});
            out.literal_size_ += literal.size();
        }
        if (brace == std::string_view::npos) break;
        const std::size_t end = text.find('}', brace);
        if (text[brace] != '{' || end == std::string_view::npos) {
            return fail(ErrorCode::kInvalidArgument, "a URI template with an unmatched brace");
        }
        std::string_view inside = text.substr(brace + 1, end - brace - 1);
        Part expression;
        if (!inside.empty() && kOperators.contains(inside.front())) {
            expression.op = inside.front();
            inside.remove_prefix(1);
        }
        if (levels == Levels::kExtractable) {
            expression.variables = plain_names(inside);
            if (expression.variables.empty()) {
                return fail(ErrorCode::kInvalidArgument, "a URI template with an expression this server cannot match");
            }
        } else if (!is_variable_list(inside)) {
            return fail(ErrorCode::kInvalidArgument, "a URI template with an invalid expression");
        }
        out.parts_.push_back(std::move(expression));
        text.remove_prefix(end + 1);
    }
    return out;
}

bool UriTemplate::has_variable(std::string_view name) const noexcept {
    return std::ranges::any_of(
        parts_, [&](const Part& part) { return std::ranges::find(part.variables, name) != part.variables.end(); });
}

bool UriTemplate::matches(std::string_view uri) const {
    if (!parts_.empty() && parts_.front().is_literal() && !uri.starts_with(parts_.front().literal)) return false;
    // All positions at which the parts so far may end, so that no template can make us try every split.
    std::vector<bool> here(uri.size() + 1);
    here[0] = true;
    for (const Part& part : parts_) {
        std::vector<bool> next(uri.size() + 1);
        bool any = false;
        if (part.is_literal()) {
            for (std::size_t at = 0; at + part.literal.size() <= uri.size(); ++at) {
                if (here[at] && uri.substr(at).starts_with(part.literal)) any = next[at + part.literal.size()] = true;
            }
        } else {
            // `{x}` and `{+x}` need a character; the others begin with their own prefix or are absent.
            const bool bare = part.op == 0 || part.op == '+';
            bool inside = false;
            for (std::size_t at = 0; at <= uri.size(); ++at) {
                if (inside) any = next[at] = true;
                if (here[at] && !bare) any = next[at] = true;
                if (at == uri.size()) break;
                const bool begins = here[at] && (bare || uri[at] == part.op);
                inside = (inside || begins) && may_contain(part.op, uri[at]);
            }
        }
        if (!any) return false;
        here = std::move(next);
    }
    return here[uri.size()];
}

}  // namespace gantry::mcp
