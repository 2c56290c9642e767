#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gantry::gateway {

/// Whether a URI may be an expansion of an RFC 6570 template. All operators and modifiers are read; values are not
/// taken out, and where a value may be absent its expression may be.
class UriTemplate {
public:
    /// Empty when the braces do not pair or an expression is none.
    static std::optional<UriTemplate> parse(std::string_view text);

    /// In time proportional to the URI's length times the number of expressions, whatever the template.
    bool matches(std::string_view uri) const;

    /// How many characters stand literally in it: of two that match, the one with more says more.
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
