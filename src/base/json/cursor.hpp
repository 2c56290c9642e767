#pragma once

#include <cstddef>
#include <string_view>

#include "base/json/fault.hpp"
#include "base/json/text.hpp"

namespace gantry::json {

/// Reads the tokens of a complete text. Every function takes the position of a token's first
/// byte and returns the one after its last, or records a fault and returns null. The position
/// is passed by value so that it stays in a register.
class Cursor {
public:
    explicit Cursor(std::string_view text) noexcept : begin(text.data()), end(text.data() + text.size()) {}

    const char* const begin;
    const char* const end;
    Fault fault;

    std::nullptr_t fail(const char* reason, const char* where, ErrorCode code = ErrorCode::kParse) noexcept {
        fault = {reason, static_cast<std::size_t>(where - begin), code};
        return nullptr;
    }

    /// The first byte from `p` on that is not white space, or end.
    const char* skip_space(const char* p) const noexcept {
        while (p != end && static_cast<unsigned char>(*p) <= ' ' && is_space(*p)) ++p;
        return p;
    }

    /// `escaped` says whether a backslash occurs.
    [[gnu::always_inline]] const char* string(const char* p, bool& escaped) noexcept {
        escaped = false;
        p = skip_plain(p + 1, end);
        if (p != end && *p == '"') [[likely]]
            return p + 1;
        return rest_of_string(p, escaped);
    }

    const char* number(const char* p) noexcept {
        if (*p == '-' && ++p == end) return fail(reason::kEnd, end);
        if (*p == '0') {
            ++p;
        } else if (p = digits(p); p == nullptr) {
            return nullptr;
        }
        if (p != end && *p == '.') {
            if (p = digits(p + 1); p == nullptr) return nullptr;
        }
        if (p != end && (*p == 'e' || *p == 'E')) {
            ++p;
            if (p != end && (*p == '+' || *p == '-')) ++p;
            p = digits(p);
        }
        return p;
    }

    const char* literal(const char* p, std::string_view word) noexcept {
        for (const char expected : word) {
            if (p == end) return fail(reason::kEnd, end);
            if (*p != expected) return fail(reason::kLiteral, p);
            ++p;
        }
        return p;
    }

private:
    /// `p` is at the first byte of a string that is not plain.
    const char* rest_of_string(const char* p, bool& escaped) noexcept;
    const char* utf8(const char* p) noexcept;
    const char* escape(const char* p) noexcept;
    const char* hex4(const char* p, unsigned& unit) noexcept;

    const char* digits(const char* p) noexcept {
        if (p == end) return fail(reason::kEnd, end);
        if (!is_digit(*p)) return fail(reason::kDigit, p);
        do ++p;
        while (p != end && is_digit(*p));
        return p;
    }
};

}  // namespace gantry::json
