#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace gantry {

/// Appends every byte as two lower-case digits.
inline void append_hex(std::string& out, std::span<const std::uint8_t> bytes) {
    constexpr char kDigits[] = "0123456789abcdef";
    const std::size_t before = out.size();
    const std::size_t after = before + 2 * bytes.size();
    // The length passed to the callback is the capacity in some libraries.
    out.resize_and_overwrite(after, [&](char* text, std::size_t) {
        char* at = text + before;
        for (const std::uint8_t byte : bytes) {
            *at++ = kDigits[byte >> 4];
            *at++ = kDigits[byte & 15];
        }
        return after;
    });
}

inline std::string to_hex(std::string_view bytes) {
    std::string out;
    append_hex(out, {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
    return out;
}

}  // namespace gantry
