#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gantry::schema {

/// The exact value of a JSON number of any length: digits × 10^exponent.
struct Decimal {
    bool negative = false;
    std::string digits;  ///< no zero at either end; empty is zero
    std::int64_t exponent = 0;

    /// Precondition: `text` is a JSON number. Exponents are clamped to ±10^15.
    static Decimal parse(std::string_view text);
    bool is_zero() const noexcept { return digits.empty(); }
    friend std::strong_ordering operator<=>(const Decimal& a, const Decimal& b);
    friend bool operator==(const Decimal& a, const Decimal& b) = default;
};

/// Whether `value` is an integer multiple of `divisor` (not zero). Takes time proportional to the
/// product of their digits, whatever their exponents.
bool is_multiple(const Decimal& value, const Decimal& divisor);

/// A number of the schema, prepared for comparison with numbers of the instance by their text.
class Bound {
public:
    /// Precondition: `text` is a JSON number.
    explicit Bound(std::string_view text);

    std::strong_ordering compare_to(std::string_view number) const;  ///< number <=> this
    bool divides(std::string_view number) const;
    const Decimal& value() const noexcept { return value_; }
    const std::string& text() const noexcept { return text_; }

private:
    std::string text_;
    Decimal value_;
    std::optional<std::int64_t> small_;
};

}  // namespace gantry::schema
