#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace gantry::json {

/// SipHash-1-3 with a random key per process, so that the author of object keys cannot provoke
/// collisions. Takes input in pieces; the result depends only on the bytes.
class KeyHasher {
public:
    /// `lane` 0 and 1 give independent functions; both together make 128 bits.
    explicit KeyHasher(unsigned lane = 0) noexcept;

    void update(std::string_view bytes) noexcept;
    /// May be called once per hasher.
    std::uint64_t finish() noexcept;

private:
    void round() noexcept;
    void absorb(std::uint64_t word) noexcept;

    std::uint64_t v0_, v1_, v2_, v3_;
    std::uint64_t partial_ = 0;
    std::uint64_t size_ = 0;
};

std::uint64_t hash_key(std::string_view key) noexcept;

}  // namespace gantry::json
