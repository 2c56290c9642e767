#pragma once

#include <cstdint>

namespace gantry::process::reaper {

/// Sends SIGKILL to every descendant of `self` currently in /proc. New ones may appear
/// meanwhile, so the caller repeats until no child is left.
void kill_descendants(int self);

struct FamilySize {
    std::uint64_t memory = 0;  ///< resident bytes that are not a file's; shared ones count twice
    std::uint64_t tasks = 0;   ///< threads included
};
/// The size of all descendants of `self` currently in /proc.
FamilySize family_size(int self);

}  // namespace gantry::process::reaper
