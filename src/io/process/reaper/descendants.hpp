#pragma once

#include <cstdint>

namespace gantry::process::reaper {

/// Sends SIGKILL to every descendant of `self` that /proc shows at this moment. New ones may appear
/// while it looks, so the caller repeats until no child is left.
void kill_descendants(int self);

struct FamilySize {
    std::uint64_t memory = 0;  ///< bytes that are resident and not a file's; what two share counts twice
    std::uint64_t tasks = 0;   ///< threads included
};
/// Of every descendant of `self` that /proc shows at this moment.
FamilySize family_size(int self);

}  // namespace gantry::process::reaper
