#include "mcp/protocol/base64.hpp"

#include <cstddef>
#include <cstdint>

namespace gantry::mcp {
namespace {

constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

std::optional<std::uint32_t> value_of_digit(char c) {
    const std::size_t at = kAlphabet.find(c);
    if (at == std::string_view::npos) return {};
    return static_cast<std::uint32_t>(at);
}

}  // namespace

std::string encode_base64(std::string_view bytes) {
    std::string out;
    out.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        const std::size_t have = std::min<std::size_t>(3, bytes.size() - i);
        std::uint32_t group = 0;
        for (std::size_t k = 0; k < 3; ++k) {
            group = group << 8U | (k < have ? static_cast<unsigned char>(bytes[i + k]) : 0U);
        }
        for (std::size_t k = 0; k < 4; ++k) {
            out += k <= have ? kAlphabet[(group >> (18U - 6U * k)) & 63U] : '=';
        }
    }
    return out;
}

std::optional<std::string> decode_base64(std::string_view text) {
    if (text.size() % 4 != 0) return {};
    std::string out;
    out.reserve(text.size() / 4 * 3);
    for (std::size_t i = 0; i < text.size(); i += 4) {
        const bool last = i + 4 == text.size();
        std::size_t digits = 4;
        if (last && text[i + 3] == '=') digits = text[i + 2] == '=' ? 2 : 3;
        std::uint32_t group = 0;
        for (std::size_t k = 0; k < 4; ++k) {
            const auto value = k < digits ? value_of_digit(text[i + k]) : std::optional<std::uint32_t>(0);
            if (!value) return {};
            group = group << 6U | *value;
        }
        const std::size_t bytes = digits - 1;
        if ((group & ((1U << (24U - 8U * bytes)) - 1U)) != 0) return {};
        for (std::size_t k = 0; k < bytes; ++k) out += static_cast<char>((group >> (16U - 8U * k)) & 0xFFU);
    }
    return out;
}

}  // namespace gantry::mcp
