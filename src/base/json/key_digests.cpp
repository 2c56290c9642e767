#include "base/json/key_digests.hpp"

#include <utility>

namespace gantry::json {

bool KeyDigests::insert(KeyDigest digest) {
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t slot = digest.high & mask;; slot = (slot + 1) & mask) {
        if (slots_[slot] == digest) return false;
        if (slots_[slot].low == 0) {
            slots_[slot] = digest;
            return true;
        }
    }
}

KeyDigests::Added KeyDigests::add(KeyDigest digest) {
    digest.low |= 1;
    if (count_ * 2 >= slots_.size()) {
        const auto old = std::exchange(slots_, std::vector<KeyDigest>(slots_.empty() ? 32 : slots_.size() * 2));
        for (const KeyDigest& present : old) {
            if (present.low != 0) insert(present);
        }
    }
    if (!insert(digest)) return Added::kDuplicate;
    return ++count_ > kMost ? Added::kFull : Added::kNew;
}

}  // namespace gantry::json
