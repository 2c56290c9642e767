#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/json/hash.hpp"

namespace gantry::json {

/// A 128-bit digest of a key, unpredictable outside the process.
struct KeyDigest {
    std::uint64_t low = 0;
    std::uint64_t high = 0;
    friend bool operator==(const KeyDigest&, const KeyDigest&) = default;
};

/// Digests a key that arrives in pieces.
class KeyDigester {
public:
    void reset() noexcept {
        low_ = KeyHasher(0);
        high_ = KeyHasher(1);
    }
    void update(std::string_view bytes) noexcept {
        low_.update(bytes);
        high_.update(bytes);
    }
    KeyDigest finish() noexcept { return {low_.finish(), high_.finish()}; }

private:
    KeyHasher low_{0};
    KeyHasher high_{1};
};

/// The keys of one object, at most kMost, in memory independent of their length.
class KeyDigests {
public:
    static constexpr std::size_t kMost = 1024;

    enum class Added : std::uint8_t { kNew, kDuplicate, kFull };

    Added add(KeyDigest digest);
    void clear() noexcept {
        slots_.clear();
        count_ = 0;
    }

private:
    bool insert(KeyDigest digest);

    std::vector<KeyDigest> slots_;  // open addressing; low is never 0 in use
    std::size_t count_ = 0;
};

}  // namespace gantry::json
