#include "base/json/hash.hpp"

#include <array>
#include <bit>
#include <cstring>
#include <random>

namespace gantry::json {
namespace {

std::array<std::uint64_t, 4> draw_keys() {
    std::random_device device;
    std::array<std::uint64_t, 4> keys{};
    for (auto& key : keys) key = (std::uint64_t{device()} << 32) | device();
    return keys;
}

const std::array<std::uint64_t, 4>& process_keys() {
    static const std::array<std::uint64_t, 4> keys = draw_keys();
    return keys;
}

}  // namespace

KeyHasher::KeyHasher(unsigned lane) noexcept {
    const auto& keys = process_keys();
    const std::uint64_t k0 = keys[(lane & 1) * 2];
    const std::uint64_t k1 = keys[(lane & 1) * 2 + 1];
    v0_ = k0 ^ 0x736f6d6570736575u;
    v1_ = k1 ^ 0x646f72616e646f6du;
    v2_ = k0 ^ 0x6c7967656e657261u;
    v3_ = k1 ^ 0x7465646279746573u;
}

void KeyHasher::round() noexcept {
    v0_ += v1_;
    v2_ += v3_;
    v1_ = std::rotl(v1_, 13) ^ v0_;
    v3_ = std::rotl(v3_, 16) ^ v2_;
    v0_ = std::rotl(v0_, 32);
    v2_ += v1_;
    v0_ += v3_;
    v1_ = std::rotl(v1_, 17) ^ v2_;
    v3_ = std::rotl(v3_, 21) ^ v0_;
    v2_ = std::rotl(v2_, 32);
}

void KeyHasher::absorb(std::uint64_t word) noexcept {
    v3_ ^= word;
    round();
    v0_ ^= word;
}

void KeyHasher::update(std::string_view bytes) noexcept {
    const char* p = bytes.data();
    std::size_t left = bytes.size();
    while (left != 0) {
        if (size_ % 8 == 0 && left >= 8) {
            std::uint64_t word;
            std::memcpy(&word, p, 8);
            if constexpr (std::endian::native == std::endian::big) word = __builtin_bswap64(word);
            absorb(word);
            p += 8;
            left -= 8;
            size_ += 8;
            continue;
        }
        partial_ |= std::uint64_t{static_cast<unsigned char>(*p)} << (8 * (size_ % 8));
        ++p;
        --left;
        if (++size_ % 8 == 0) {
            absorb(partial_);
            partial_ = 0;
        }
    }
}

std::uint64_t KeyHasher::finish() noexcept {
    absorb(partial_ | (size_ << 56));
    v2_ ^= 0xff;
    round();
    round();
    round();
    return v0_ ^ v1_ ^ v2_ ^ v3_;
}

std::uint64_t hash_key(std::string_view key) noexcept {
    KeyHasher hasher;
    hasher.update(key);
    return hasher.finish();
}

}  // namespace gantry::json
