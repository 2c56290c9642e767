#include "base/schema/decimal.hpp"

#include <algorithm>
#include <vector>

namespace gantry::schema {
namespace {

constexpr std::int64_t kExponentLimit = 1'000'000'000'000'000;

/// Fast path: integers of up to 18 digits, i.e. nearly all numbers.
std::optional<std::int64_t> small_integer(std::string_view text) {
    const bool negative = text.starts_with('-');
    if (negative) text.remove_prefix(1);
    if (text.empty() || text.size() > 18) return std::nullopt;
    std::int64_t value = 0;
    for (const char c : text) {
        if (c < '0' || c > '9') return std::nullopt;
        value = value * 10 + (c - '0');
    }
    return negative ? -value : value;
}

std::int64_t parse_exponent(std::string_view text) {
    const bool negative = text.starts_with('-');
    if (negative || text.starts_with('+')) text.remove_prefix(1);
    std::int64_t value = 0;
    for (const char c : text) value = std::min(kExponentLimit, value * 10 + (c - '0'));
    return negative ? -value : value;
}

std::strong_ordering compare_magnitude(const Decimal& a, const Decimal& b) {
    if (a.is_zero() || b.is_zero()) return b.is_zero() <=> a.is_zero();
    const auto top = [](const Decimal& d) { return static_cast<std::int64_t>(d.digits.size()) + d.exponent; };
    if (const auto order = top(a) <=> top(b); order != 0) return order;
    return a.digits.compare(b.digits) <=> 0;
}

/// (digits × 10^zeros) mod divisor for a divisor below 2^60.
std::uint64_t remainder_small(std::string_view digits, std::int64_t zeros, std::uint64_t divisor) {
    std::uint64_t rest = 0;
    for (const char c : digits) rest = (rest * 10 + static_cast<std::uint64_t>(c - '0')) % divisor;
    for (std::int64_t i = 0; i < zeros && rest != 0; ++i) rest = rest * 10 % divisor;
    return rest;
}

/// Little-endian base 10^9, just enough arithmetic for long division by a long divisor.
using Limbs = std::vector<std::uint32_t>;
constexpr std::uint32_t kBase = 1'000'000'000;

Limbs to_limbs(std::string_view digits) {
    Limbs limbs;
    while (!digits.empty()) {
        const std::size_t take = std::min<std::size_t>(9, digits.size());
        std::uint32_t limb = 0;
        for (const char c : digits.substr(digits.size() - take)) limb = limb * 10 + static_cast<std::uint32_t>(c - '0');
        limbs.push_back(limb);
        digits.remove_suffix(take);
    }
    return limbs;
}

void times_ten_plus(Limbs& limbs, std::uint32_t digit) {
    std::uint64_t carry = digit;
    for (auto& limb : limbs) {
        carry += std::uint64_t{limb} * 10;
        limb = static_cast<std::uint32_t>(carry % kBase);
        carry /= kBase;
    }
    if (carry != 0) limbs.push_back(static_cast<std::uint32_t>(carry));
}

bool not_less(const Limbs& a, const Limbs& b) {
    if (a.size() != b.size()) return a.size() > b.size();
    return !std::lexicographical_compare(a.rbegin(), a.rend(), b.rbegin(), b.rend());
}

void subtract(Limbs& a, const Limbs& b) {
    std::int64_t borrow = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        std::int64_t limb = std::int64_t{a[i]} - borrow - (i < b.size() ? std::int64_t{b[i]} : 0);
        borrow = limb < 0 ? 1 : 0;
        if (limb < 0) limb += kBase;
        a[i] = static_cast<std::uint32_t>(limb);
    }
    while (!a.empty() && a.back() == 0) a.pop_back();
}

bool divides_long(std::string_view digits, std::int64_t zeros, std::string_view divisor_digits) {
    const Limbs divisor = to_limbs(divisor_digits);
    Limbs rest;
    const auto feed = [&](std::uint32_t digit) {
        times_ten_plus(rest, digit);
        while (not_less(rest, divisor)) subtract(rest, divisor);
    };
    for (const char c : digits) feed(static_cast<std::uint32_t>(c - '0'));
    for (std::int64_t i = 0; i < zeros && !rest.empty(); ++i) feed(0);
    return rest.empty();
}

}  // namespace

Decimal Decimal::parse(std::string_view text) {
    Decimal out;
    out.negative = text.starts_with('-');
    if (out.negative) text.remove_prefix(1);
    if (const auto e = text.find_first_of("eE"); e != std::string_view::npos) {
        out.exponent = parse_exponent(text.substr(e + 1));
        text = text.substr(0, e);
    }
    if (const auto dot = text.find('.'); dot != std::string_view::npos) {
        out.digits.append(text.substr(0, dot)).append(text.substr(dot + 1));
        out.exponent -= static_cast<std::int64_t>(text.size() - dot - 1);
    } else {
        out.digits = text;
    }
    const auto last = out.digits.find_last_not_of('0');
    if (last == std::string::npos) return Decimal();
    out.exponent += static_cast<std::int64_t>(out.digits.size() - last - 1);
    out.digits.resize(last + 1);
    out.digits.erase(0, out.digits.find_first_not_of('0'));
    return out;
}

std::strong_ordering operator<=>(const Decimal& a, const Decimal& b) {
    if (a.negative != b.negative) return b.negative <=> a.negative;
    return a.negative ? compare_magnitude(b, a) : compare_magnitude(a, b);
}

bool is_multiple(const Decimal& value, const Decimal& divisor) {
    if (value.is_zero()) return true;
    // digits has no trailing zero, so dividing by another factor of ten always leaves a remainder.
    if (value.exponent < divisor.exponent) return false;
    // Zeros are useful only as far as the divisor has factors 2 and 5: at most 4 per digit.
    const auto useful = static_cast<std::int64_t>(divisor.digits.size()) * 4;
    const std::int64_t zeros = std::min(value.exponent - divisor.exponent, useful);
    if (const auto small = small_integer(divisor.digits)) {
        return remainder_small(value.digits, zeros, static_cast<std::uint64_t>(*small)) == 0;
    }
    return divides_long(value.digits, zeros, divisor.digits);
}

Bound::Bound(std::string_view text) : text_(text), value_(Decimal::parse(text)), small_(small_integer(text)) {}

std::strong_ordering Bound::compare_to(std::string_view number) const {
    if (small_) {
        if (const auto other = small_integer(number)) return *other <=> *small_;
    }
    return Decimal::parse(number) <=> value_;
}

bool Bound::divides(std::string_view number) const {
    if (small_) {
        if (const auto other = small_integer(number)) return *other % *small_ == 0;
    }
    return is_multiple(Decimal::parse(number), value_);
}

}  // namespace gantry::schema
