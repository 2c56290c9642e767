#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gantry::gateway {

/// Whether a URI may be an expansion of an RFC 6570 template. Supports all operators and modifiers; values are not
/// extracted, and an expression may be absent where its value may be.
class UriTemplate {
public:
    /// Empty when braces are unbalanced or an expression is invalid.
    static std::optional<UriTemplate> parse(std::string_view text);

    /// Takes time proportional to the URI's length times the number of expressions, for any template.
    bool matches(std::string_view uri) const;

    /// Number of literal characters: of two templates that match, the one with more is more specific.
    std::size_t literal_size() const noexcept { return literal_size_; }

private:
    struct Part {
        /// 'L': literal text, ' ': simple expansion, else the operator of the expression.
        char kind = 'L';
        std::string literal = {};
    };
    std::vector<Part> parts_;
    std::size_t literal_size_ = 0;
};

}  // namespace gantry::gateway
