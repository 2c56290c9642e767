// Dates, times and durations of RFC 3339.
#include <array>
#include <optional>

#include "base/schema/format.hpp"

namespace gantry::schema {
namespace {

/// Consumes exactly `count` leading digits.
std::optional<int> take_digits(std::string_view& text, std::size_t count) noexcept {
    if (text.size() < count) return std::nullopt;
    int value = 0;
    for (const char c : text.substr(0, count)) {
        if (c < '0' || c > '9') return std::nullopt;
        value = value * 10 + (c - '0');
    }
    text.remove_prefix(count);
    return value;
}

bool take(std::string_view& text, char c) noexcept {
    if (text.empty() || text.front() != c) return false;
    text.remove_prefix(1);
    return true;
}

std::size_t count_digits(std::string_view text) noexcept {
    std::size_t n = 0;
    while (n < text.size() && text[n] >= '0' && text[n] <= '9') ++n;
    return n;
}

/// Consumes leading "12X" units, in the order of `units` and without gaps.
bool take_units(std::string_view& text, std::string_view units) noexcept {
    bool any = false;
    for (const char unit : units) {
        const std::size_t digits = count_digits(text);
        if (digits > 0 && digits < text.size() && text[digits] == unit) {
            text.remove_prefix(digits + 1);
            any = true;
        } else if (any) {
            break;
        }
    }
    return any;
}

/// Offset in minutes, or nothing if malformed.
std::optional<int> offset_minutes(std::string_view text) noexcept {
    if (text == "Z" || text == "z") return 0;
    if (text.empty() || (text.front() != '+' && text.front() != '-')) return std::nullopt;
    const int sign = text.front() == '-' ? -1 : 1;
    text.remove_prefix(1);
    const auto hour = take_digits(text, 2);
    if (!hour || *hour > 23 || !take(text, ':')) return std::nullopt;
    const auto minute = take_digits(text, 2);
    if (!minute || *minute > 59 || !text.empty()) return std::nullopt;
    return sign * (*hour * 60 + *minute);
}

}  // namespace

bool is_date(std::string_view text) noexcept {
    const auto year = take_digits(text, 4);
    if (!year || !take(text, '-')) return false;
    const auto month = take_digits(text, 2);
    if (!month || *month < 1 || *month > 12 || !take(text, '-')) return false;
    const auto day = take_digits(text, 2);
    if (!day || !text.empty()) return false;
    constexpr std::array<int, 12> kDays{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    const bool leap = (*year % 4 == 0 && *year % 100 != 0) || *year % 400 == 0;
    const int last = kDays[static_cast<std::size_t>(*month - 1)] + (*month == 2 && leap ? 1 : 0);
    return *day >= 1 && *day <= last;
}

bool is_time(std::string_view text) noexcept {
    const auto hour = take_digits(text, 2);
    if (!hour || *hour > 23 || !take(text, ':')) return false;
    const auto minute = take_digits(text, 2);
    if (!minute || *minute > 59 || !take(text, ':')) return false;
    const auto second = take_digits(text, 2);
    if (!second || *second > 60) return false;
    if (take(text, '.')) {
        const std::size_t fraction = count_digits(text);
        if (fraction == 0) return false;
        text.remove_prefix(fraction);
    }
    const auto offset = offset_minutes(text);
    if (!offset) return false;
    if (*second < 60) return true;
    constexpr int kDay = 24 * 60;  // a leap second is the last one of a UTC day
    return (*hour * 60 + *minute - *offset + 2 * kDay) % kDay == kDay - 1;
}

bool is_date_time(std::string_view text) noexcept {
    if (text.size() < 11 || (text[10] != 'T' && text[10] != 't')) return false;
    return is_date(text.substr(0, 10)) && is_time(text.substr(11));
}

bool is_duration(std::string_view text) noexcept {
    if (!take(text, 'P') || text.empty()) return false;
    if (take_units(text, "W")) return text.empty();
    const bool date = take_units(text, "YMD");
    if (text.empty()) return date;
    return take(text, 'T') && take_units(text, "HMS") && text.empty();
}

}  // namespace gantry::schema
