#include "base/json/span.hpp"

#include "base/json/text.hpp"

namespace gantry::json {

bool Span::is(std::string_view text) const {
    return is_string() && unescaped_equals(inside(), text);
}

std::optional<std::string> Span::text() const {
    if (!is_string()) return std::nullopt;
    std::string out;
    unescape_to(inside(), out);
    return out;
}

std::optional<std::string_view> Span::plain_text() const noexcept {
    if (!is_string() || inside().find('\\') != std::string_view::npos) return std::nullopt;
    return inside();
}

}  // namespace gantry::json
