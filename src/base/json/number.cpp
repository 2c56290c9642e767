#include "base/json/number.hpp"

#include <algorithm>
#include <charconv>
#include <string>

#include "base/json/text.hpp"

namespace gantry::json {
namespace {

std::string_view take_digits(std::string_view& text) noexcept {
    std::size_t n = 0;
    while (n < text.size() && is_digit(text[n])) ++n;
    const std::string_view digits = text.substr(0, n);
    text.remove_prefix(n);
    return digits;
}

std::string_view without_leading_zeros(std::string_view digits) noexcept {
    digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size()));
    return digits;
}

std::string_view without_trailing_zeros(std::string_view digits) noexcept {
    return digits.substr(0, digits.find_last_not_of('0') + 1);
}

/// magnitude + delta in decimal. Precondition: the result is not negative.
std::string add(std::string_view magnitude, std::int64_t delta) {
    std::string sum(magnitude);
    std::int64_t carry = delta;
    for (std::size_t i = sum.size(); i-- > 0 && carry != 0;) {
        std::int64_t digit = sum[i] - '0' + carry;
        carry = digit / 10;
        digit %= 10;
        if (digit < 0) {
            digit += 10;
            --carry;
        }
        sum[i] = static_cast<char>('0' + digit);
    }
    if (carry > 0) sum.insert(0, std::to_string(carry));
    return std::string(without_leading_zeros(sum));
}

}  // namespace

Decimal::Decimal(std::string_view text) noexcept {
    if (text.starts_with('-')) {
        negative_ = true;
        text.remove_prefix(1);
    }
    whole_ = without_leading_zeros(take_digits(text));
    if (text.starts_with('.')) {
        text.remove_prefix(1);
        fraction_ = without_trailing_zeros(take_digits(text));
    }
    shift_ = static_cast<std::int64_t>(whole_.size());
    if (whole_.empty()) {
        const std::string_view significant = without_leading_zeros(fraction_);
        shift_ = static_cast<std::int64_t>(significant.size()) - static_cast<std::int64_t>(fraction_.size());
        fraction_ = significant;
    }
    if (fraction_.empty()) whole_ = without_trailing_zeros(whole_);
    if (!text.empty()) {
        text.remove_prefix(1);
        exponent_negative_ = text.starts_with('-');
        if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
        exponent_ = without_leading_zeros(text);
    }
    if (exponent_.size() > 18) {
        point_.reset();
        return;
    }
    std::int64_t exponent = 0;
    std::from_chars(exponent_.data(), exponent_.data() + exponent_.size(), exponent);
    point_ = shift_ + (exponent_negative_ ? -exponent : exponent);
}

bool Decimal::at_least_one() const noexcept {
    return !is_zero() && (point_ ? *point_ > 0 : !exponent_negative_);
}

bool Decimal::is_integer() const noexcept {
    if (is_zero()) return true;
    if (!point_) return !exponent_negative_;
    return *point_ >= static_cast<std::int64_t>(size());
}

std::optional<std::uint64_t> Decimal::magnitude() const noexcept {
    if (is_zero()) return 0;
    if (!is_integer() || !point_ || *point_ > 20) return std::nullopt;
    std::uint64_t value = 0;
    for (std::int64_t i = 0; i < *point_; ++i) {
        const auto place = static_cast<std::size_t>(i);
        const auto next = static_cast<unsigned>(place < size() ? digit(place) - '0' : 0);
        if (__builtin_mul_overflow(value, std::uint64_t{10}, &value)) return std::nullopt;
        if (__builtin_add_overflow(value, std::uint64_t{next}, &value)) return std::nullopt;
    }
    return value;
}

// An exponent of more than 18 digits exceeds any shift a text in memory can have, so adding
// the shift never changes its sign.
std::strong_ordering Decimal::compare_points(const Decimal& a, const Decimal& b) {
    if (a.point_ && b.point_) return *a.point_ <=> *b.point_;
    auto is_negative = [](const Decimal& d) { return d.point_ ? *d.point_ < 0 : d.exponent_negative_; };
    auto magnitude = [](const Decimal& d) {
        if (!d.point_) return add(d.exponent_, d.exponent_negative_ ? -d.shift_ : d.shift_);
        return std::to_string(*d.point_ < 0 ? -*d.point_ : *d.point_);
    };
    if (is_negative(a) != is_negative(b)) {
        return is_negative(a) ? std::strong_ordering::less : std::strong_ordering::greater;
    }
    const std::string left = magnitude(a);
    const std::string right = magnitude(b);
    const auto order = left.size() != right.size() ? left.size() <=> right.size() : left <=> right;
    return is_negative(a) ? 0 <=> order : order;
}

bool Decimal::same_digits(const Decimal& a, const Decimal& b) noexcept {
    if (a.size() != b.size()) return false;
    if (a.whole_.size() == b.whole_.size()) return a.whole_ == b.whole_ && a.fraction_ == b.fraction_;
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (a.digit(i) != b.digit(i)) return false;
    }
    return true;
}

bool operator==(const Decimal& a, const Decimal& b) {
    if (a.is_zero() || b.is_zero()) return a.is_zero() == b.is_zero();
    return a.negative_ == b.negative_ && Decimal::same_digits(a, b) && Decimal::compare_points(a, b) == 0;
}

std::strong_ordering operator<=>(const Decimal& a, const Decimal& b) {
    auto sign = [](const Decimal& d) { return d.is_zero() ? 0 : d.negative_ ? -1 : 1; };
    if (sign(a) != sign(b) || sign(a) == 0) return sign(a) <=> sign(b);
    auto order = Decimal::compare_points(a, b);
    for (std::size_t i = 0; order == 0 && i < std::max(a.size(), b.size()); ++i) {
        order = (i < a.size() ? a.digit(i) : '0') <=> (i < b.size() ? b.digit(i) : '0');
    }
    return a.negative_ ? 0 <=> order : order;
}

}  // namespace gantry::json
