#pragma once

namespace gantry::process::reaper {

/// Sends SIGKILL to every descendant of `self` that /proc shows at this moment. New ones may appear
/// while it looks, so the caller repeats until no child is left.
void kill_descendants(int self);

}  // namespace gantry::process::reaper
