#pragma once

#include "io/fd.hpp"
#include "io/process/process.hpp"

namespace gantry::process {

/// Our ends of a newly started reaper. It reports on `control` whether the program runs.
struct Spawned {
    Fd in;       ///< the child's stdin, non-blocking
    Fd out;      ///< its stdout, non-blocking
    Fd err;      ///< its stderr, non-blocking
    Fd control;  ///< see reaper/protocol.hpp; non-blocking
    Fd reaper;   ///< a pidfd of the reaper, which is our own child and has to be waited for
};

/// Starts a reaper that starts `command`. Blocks for one vfork and exec of a small static
/// program (about 0.1 ms), however large this process is. Any thread; the child does not depend on that thread's life.
Result<Spawned> spawn(const Command& command);

/// The file to execute, found in the child's PATH before forking. Relative and empty
/// entries of PATH are skipped: the result must not depend on a working directory.
Result<std::string> find_program(const Command& command);

/// Reaps an exited reaper. False while it still runs.
bool collect(int reaper) noexcept;
/// Keeps a reaper that is still killing, and reaps those kept earlier that have exited.
void collect_later(Fd reaper);

}  // namespace gantry::process
