#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace gantry::gateway {

/// Finds entries by the hash of a name. Open addressing in one block of memory; what an entry is called is known to
/// the caller, who compares.
class NameIndex {
public:
    NameIndex() = default;
    /// With room for that many entries.
    explicit NameIndex(std::size_t entries) : slots_(std::bit_ceil(2 * entries + 2)) {}

    void insert(std::uint64_t hash, std::uint32_t entry) noexcept {
        std::size_t at = hash & mask();
        while (slots_[at].taken != 0) at = (at + 1) & mask();
        slots_[at] = {.hash = short_hash(hash), .taken = entry + 1};
    }

    /// The entry with that hash for which `is` holds.
    template <class Is>
    std::optional<std::uint32_t> find(std::uint64_t hash, const Is& is) const {
        if (slots_.empty()) return std::nullopt;
        for (std::size_t at = hash & mask(); slots_[at].taken != 0; at = (at + 1) & mask()) {
            const Slot& slot = slots_[at];
            if (slot.hash == short_hash(hash) && is(slot.taken - 1)) return slot.taken - 1;
        }
        return std::nullopt;
    }

private:
    struct Slot {
        std::uint32_t hash = 0;
        std::uint32_t taken = 0;  // the entry plus one; 0: free
    };
    static std::uint32_t short_hash(std::uint64_t hash) noexcept { return static_cast<std::uint32_t>(hash >> 32); }
    std::size_t mask() const noexcept { return slots_.size() - 1; }

    std::vector<Slot> slots_;
};

}  // namespace gantry::gateway
