#pragma once

#include <cstddef>
#include <string_view>

#include "base/json/fault.hpp"
#include "base/json/text.hpp"

namespace gantry::json {

/// Reads the tokens of a complete text one by one. Every function starts with `p` on the
/// token's first byte and leaves it behind the last, or records a fault and returns false.
class Cursor {
public:
    explicit Cursor(std::string_view text) noexcept
        : p(text.data()), end(text.data() + text.size()), begin_(text.data()) {}

    const char* p;
    const char* const end;
    Fault fault;

    bool fail(const char* reason, const char* where, ErrorCode code = ErrorCode::kParse) noexcept {
        fault = {reason, offset(where), code};
        return false;
    }
    std::size_t offset(const char* where) const noexcept { return static_cast<std::size_t>(where - begin_); }

    /// Skips white space; false at the end of the text.
    bool skip_space() noexcept {
        while (p != end) {
            if (static_cast<unsigned char>(*p) > ' ' || !is_space(*p)) return true;
            ++p;
        }
        return false;
    }

    /// `inside` is the text between the quotes, `escaped` whether it contains a backslash.
    bool string(std::string_view& inside, bool& escaped) noexcept {
        const char* s = p + 1;
        escaped = false;
        for (;;) {
            s = skip_plain(s, end);
            if (s == end) return fail(reason::kEnd, end);
            const auto byte = static_cast<unsigned char>(*s);
            if (byte == '"') {
                inside = {p + 1, static_cast<std::size_t>(s - p - 1)};
                p = s + 1;
                return true;
            }
            if (byte == '\\') {
                escaped = true;
                if (!escape(s)) return false;
            } else if (byte < 0x20) {
                return fail(reason::kControl, s);
            } else if (!utf8(s)) {
                return false;
            }
        }
    }

    bool number() noexcept {
        const char* s = p;
        if (*s == '-' && ++s == end) return fail(reason::kEnd, end);
        if (*s == '0') {
            ++s;
        } else if (!digits(s)) {
            return false;
        }
        if (s != end && *s == '.' && !digits(++s)) return false;
        if (s != end && (*s == 'e' || *s == 'E')) {
            ++s;
            if (s != end && (*s == '+' || *s == '-')) ++s;
            if (!digits(s)) return false;
        }
        p = s;
        return true;
    }

    bool literal(std::string_view word) noexcept {
        for (const char expected : word) {
            if (p == end) return fail(reason::kEnd, end);
            if (*p != expected) return fail(reason::kLiteral, p);
            ++p;
        }
        return true;
    }

private:
    bool digits(const char*& s) noexcept {
        if (s == end) return fail(reason::kEnd, end);
        if (!is_digit(*s)) return fail(reason::kDigit, s);
        do ++s;
        while (s != end && is_digit(*s));
        return true;
    }

    /// `s` on a byte >= 0x80; consumes all such bytes in a row.
    bool utf8(const char*& s) noexcept {
        while (s != end && static_cast<unsigned char>(*s) >= 0x80) {
            const char* const start = s;
            Utf8Checker checker;
            if (!checker.lead(static_cast<unsigned char>(*s++))) return fail(reason::kUtf8, start);
            while (checker.inside()) {
                if (s == end) return fail(reason::kEnd, end);
                if (!checker.next(static_cast<unsigned char>(*s++))) return fail(reason::kUtf8, start);
            }
        }
        return true;
    }

    /// `s` on the backslash.
    bool escape(const char*& s) noexcept {
        const char* const start = s++;
        if (s == end) return fail(reason::kEnd, end);
        if (*s != 'u') {
            if (simple_escape(*s) == 0) return fail(reason::kEscape, s);
            ++s;
            return true;
        }
        unsigned unit = 0;
        if (!hex4(++s, unit)) return false;
        if (is_low_surrogate(unit)) return fail(reason::kSurrogate, start);
        if (!is_high_surrogate(unit)) return true;
        for (const char expected : {'\\', 'u'}) {
            if (s == end) return fail(reason::kEnd, end);
            if (*s++ != expected) return fail(reason::kSurrogate, start);
        }
        if (!hex4(s, unit)) return false;
        return is_low_surrogate(unit) || fail(reason::kSurrogate, start);
    }

    bool hex4(const char*& s, unsigned& unit) noexcept {
        unit = 0;
        for (int i = 0; i < 4; ++i, ++s) {
            if (s == end) return fail(reason::kEnd, end);
            const int digit = hex_value(*s);
            if (digit < 0) return fail(reason::kEscape, s);
            unit = unit * 16 + static_cast<unsigned>(digit);
        }
        return true;
    }

    const char* const begin_;
};

}  // namespace gantry::json
