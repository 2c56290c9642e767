#include "gateway/catalog/stable_hash.hpp"

#include <bit>
#include <cstring>

namespace gantry::gateway {

namespace {

constexpr std::uint64_t kOdd = 0x9E37'79B9'7F4A'7C15;  // 2^64 / golden ratio

constexpr std::uint64_t mix(std::uint64_t x) noexcept {
    x = (x ^ (x >> 32)) * 0xD6E8'FEB8'6659'FD93;
    x = (x ^ (x >> 32)) * 0xD6E8'FEB8'6659'FD93;
    return x ^ (x >> 32);
}

std::uint64_t little_endian(const char* at, std::size_t size) noexcept {
    std::uint64_t word = 0;
    std::memcpy(&word, at, size);
    if constexpr (std::endian::native == std::endian::big) word = __builtin_bswap64(word);
    return word;
}

}  // namespace

std::uint64_t stable_hash(std::string_view bytes, std::uint64_t seed) noexcept {
    std::uint64_t hash = mix(seed ^ ((bytes.size() + 1) * kOdd));
    std::size_t at = 0;
    for (; bytes.size() - at >= 8; at += 8) hash = mix(hash ^ little_endian(bytes.data() + at, 8)) + kOdd;
    if (at < bytes.size()) hash = mix(hash ^ little_endian(bytes.data() + at, bytes.size() - at)) + kOdd;
    return mix(hash);
}

std::string stable_hex8(std::string_view bytes, std::uint64_t seed) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::uint64_t hash = stable_hash(bytes, seed);
    std::string out(8, '0');
    for (char& digit : out) {
        digit = kDigits[hash >> 60];
        hash <<= 4;
    }
    return out;
}

}  // namespace gantry::gateway
