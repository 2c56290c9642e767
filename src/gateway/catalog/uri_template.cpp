#include "gateway/catalog/uri_template.hpp"

#include <algorithm>

namespace gantry::gateway {

namespace {

constexpr std::string_view kOperators = "+#./;?&";

bool is_variable_list(std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
               c == ',' || c == '%' || c == ':' || c == '*' || c == '-';
    });
}

/// Whether `c` may occur in an expansion of that kind of expression.
bool may_contain(char kind, char c) noexcept {
    switch (kind) {
        case '+':
        case '#': return true;
        case '?':
        case '&': return c != '#';
        case '/': return c != '?' && c != '#';
        default: return c != '/' && c != '?' && c != '#';
    }
}

}  // namespace

std::optional<UriTemplate> UriTemplate::parse(std::string_view text) {
    UriTemplate out;
    while (!text.empty()) {
        const auto brace = text.find_first_of("{}");
        const std::string_view literal = text.substr(0, brace);
        if (!literal.empty()) {
            out.parts_.push_back({'L', std::string(literal)});
            out.literal_size_ += literal.size();
        }
        if (brace == std::string_view::npos) break;
        const auto end = text.find('}', brace);
        if (text[brace] != '{' || end == std::string_view::npos) return std::nullopt;
        std::string_view expression = text.substr(brace + 1, end - brace - 1);
        char kind = ' ';
        if (!expression.empty() && kOperators.contains(expression.front())) {
            kind = expression.front();
            expression.remove_prefix(1);
        }
        if (!is_variable_list(expression)) return std::nullopt;
        out.parts_.push_back({kind, {}});
        text.remove_prefix(end + 1);
    }
    return out;
}

bool UriTemplate::matches(std::string_view uri) const {
    if (!parts_.empty() && parts_.front().kind == 'L' && !uri.starts_with(parts_.front().literal)) return false;
    // All positions at which the parts so far may end, so that no template can make us try every split.
    std::vector<bool> here(uri.size() + 1);
    here[0] = true;
    for (const Part& part : parts_) {
        std::vector<bool> next(uri.size() + 1);
        bool any = false;
        if (part.kind == 'L') {
            for (std::size_t at = 0; at + part.literal.size() <= uri.size(); ++at) {
                if (here[at] && uri.substr(at).starts_with(part.literal)) any = next[at + part.literal.size()] = true;
            }
        } else {
            // `{x}` and `{+x}` need a character; the others begin with their own prefix or are absent.
            const bool bare = part.kind == ' ' || part.kind == '+';
            bool inside = false;
            for (std::size_t at = 0; at <= uri.size(); ++at) {
                if (inside) any = next[at] = true;
                if (here[at] && !bare) any = next[at] = true;
                if (at == uri.size()) break;
                const bool begins = here[at] && (bare || uri[at] == part.kind);
                inside = (inside || begins) && may_contain(part.kind, uri[at]);
            }
        }
        if (!any) return false;
        here = std::move(next);
    }
    return here[uri.size()];
}

}  // namespace gantry::gateway
