#include "base/json/cursor.hpp"

namespace gantry::json {

const char* Cursor::rest_of_string(const char* p, bool& escaped) noexcept {
    for (;; p = skip_plain(p, end)) {
        if (p == end) return fail(reason::kEnd, end);
        const auto byte = static_cast<unsigned char>(*p);
        if (byte == '"') return p + 1;
        if (byte < 0x20) return fail(reason::kControl, p);
        if (byte == '\\') {
            escaped = true;
            p = escape(p);
        } else {
            p = utf8(p);
        }
        if (p == nullptr) return nullptr;
    }
}

// Validates a run of bytes from 0x80 up.
const char* Cursor::utf8(const char* p) noexcept {
    while (p != end && static_cast<unsigned char>(*p) >= 0x80) {
        const char* const start = p;
        Utf8Checker checker;
        if (!checker.lead(static_cast<unsigned char>(*p++))) return fail(reason::kUtf8, start);
        while (checker.inside()) {
            if (p == end) return fail(reason::kEnd, end);
            if (!checker.next(static_cast<unsigned char>(*p++))) return fail(reason::kUtf8, start);
        }
    }
    return p;
}

const char* Cursor::escape(const char* p) noexcept {
    const char* const start = p++;
    if (p == end) return fail(reason::kEnd, end);
    if (*p != 'u') {
        if (simple_escape(*p) == 0) return fail(reason::kEscape, p);
        return p + 1;
    }
    unsigned unit = 0;
    p = hex4(p + 1, unit);
    if (p == nullptr || (!is_low_surrogate(unit) && !is_high_surrogate(unit))) return p;
    if (is_low_surrogate(unit)) return fail(reason::kSurrogate, start);
    for (const char expected : {'\\', 'u'}) {
        if (p == end) return fail(reason::kEnd, end);
        if (*p++ != expected) return fail(reason::kSurrogate, start);
    }
    p = hex4(p, unit);
    if (p != nullptr && !is_low_surrogate(unit)) return fail(reason::kSurrogate, start);
    return p;
}

const char* Cursor::hex4(const char* p, unsigned& unit) noexcept {
    unit = 0;
    for (int i = 0; i < 4; ++i, ++p) {
        if (p == end) return fail(reason::kEnd, end);
        const int digit = hex_value(*p);
        if (digit < 0) return fail(reason::kEscape, p);
        unit = unit * 16 + static_cast<unsigned>(digit);
    }
    return p;
}

}  // namespace gantry::json
