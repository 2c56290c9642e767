#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace gantry {

/// Appends every byte as two digits, lower case.
inline void append_hex(std::string& out, std::span<const std::uint8_t> bytes) {
    constexpr char kDigits[] = "0123456789abcdef";
    const std::size_t before = out.size();
    out.resize_and_overwrite(before + 2 * bytes.size(), [&](char* text, std::size_t size) {
        char* at = text + before;
        for (const std::uint8_t byte : bytes) {
            *at++ = kDigits[byte >> 4];
            *at++ = kDigits[byte & 15];
        }
        return size;
    });
}

inline std::string to_hex(std::string_view bytes) {
    std::string out;
    append_hex(out, {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
    return out;
}

}  // namespace gantry
