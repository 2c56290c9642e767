#include "base/crypto/base64url.hpp"

#include <array>
#include <cstdint>

namespace gantry::crypto {
namespace {

constexpr std::string_view kUrlAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr std::string_view kStdAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

constexpr std::array<std::int8_t, 256> kValues = [] {
    std::array<std::int8_t, 256> values{};
    values.fill(-1);
    for (std::size_t i = 0; i < kUrlAlphabet.size(); ++i)
        values[static_cast<unsigned char>(kUrlAlphabet[i])] = static_cast<std::int8_t>(i);
    return values;
}();

std::string encode(std::string_view bytes, std::string_view alphabet) {
    std::string out;
    out.reserve((bytes.size() * 4 + 2) / 3);
    std::uint32_t buffer = 0;
    unsigned bits = 0;
    for (const char c : bytes) {
        buffer = (buffer << 8) | static_cast<unsigned char>(c);
        for (bits += 8; bits >= 6; bits -= 6) out += alphabet[(buffer >> (bits - 6)) & 63u];
    }
    if (bits > 0) out += alphabet[(buffer << (6 - bits)) & 63u];
    return out;
}

}  // namespace

std::string base64url_encode(std::string_view bytes) {
    return encode(bytes, kUrlAlphabet);
}

std::string base64_encode(std::string_view bytes) {
    std::string out = encode(bytes, kStdAlphabet);
    out.append((4 - out.size() % 4) % 4, '=');
    return out;
}

Result<std::string> base64url_decode(std::string_view text) {
    if (text.size() % 4 == 1) return fail(ErrorCode::kParse, "base64url: impossible length");
    std::string out;
    out.reserve(text.size() * 3 / 4);
    std::uint32_t buffer = 0;
    unsigned bits = 0;
    for (const char c : text) {
        const std::int8_t value = kValues[static_cast<unsigned char>(c)];
        if (value < 0) return fail(ErrorCode::kParse, "base64url: character outside the alphabet");
        buffer = (buffer << 6) | static_cast<std::uint32_t>(value);
        bits += 6;
        if (bits >= 8) {
            bits -= 8;
            out += static_cast<char>((buffer >> bits) & 0xffu);
        }
    }
    if ((buffer & ((1u << bits) - 1u)) != 0) return fail(ErrorCode::kParse, "base64url: unused bits are not zero");
    return out;
}

}  // namespace gantry::crypto
