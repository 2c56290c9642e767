#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace gantry::json {

/// The exact value of a JSON number: sign, significant digits and a power of ten, however
/// long the digits or the exponent are. Refers to the text it was made from.
class Decimal {
public:
    /// `text` must be a JSON number.
    explicit Decimal(std::string_view text) noexcept;

    bool negative() const noexcept { return negative_; }
    bool is_zero() const noexcept { return size() == 0; }
    bool is_integer() const noexcept;
    /// The absolute value, if it is an integer that fits.
    std::optional<std::uint64_t> magnitude() const noexcept;
    /// Whether the magnitude is at least 1.
    bool at_least_one() const noexcept;

    /// Mathematical order: 1, 1.0 and 10e-1 are equal, and so are 0 and -0.
    friend std::strong_ordering operator<=>(const Decimal& a, const Decimal& b);
    friend bool operator==(const Decimal& a, const Decimal& b);

private:
    std::size_t size() const noexcept { return whole_.size() + fraction_.size(); }
    char digit(std::size_t i) const noexcept { return i < whole_.size() ? whole_[i] : fraction_[i - whole_.size()]; }
    static std::strong_ordering compare_points(const Decimal& a, const Decimal& b);
    static bool same_digits(const Decimal& a, const Decimal& b) noexcept;

    // |value| = 0.DIGITS * 10^(shift_ + exponent), DIGITS = whole_ + fraction_ without zeros
    // at either end.
    bool negative_ = false;
    std::string_view whole_;
    std::string_view fraction_;
    std::int64_t shift_ = 0;
    bool exponent_negative_ = false;
    std::string_view exponent_;              // without leading zeros
    std::optional<std::int64_t> point_ = 0;  // shift_ + exponent; empty if out of range
};

}  // namespace gantry::json
