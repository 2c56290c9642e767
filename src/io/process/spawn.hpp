#pragma once

#include "io/fd.hpp"
#include "io/process/process.hpp"

namespace gantry::process {

/// Our ends of a freshly started reaper. It reports on `control` whether the program itself runs.
struct Spawned {
    Fd in;       ///< the child's stdin, non-blocking
    Fd out;      ///< its stdout, non-blocking
    Fd err;      ///< its stderr, non-blocking
    Fd control;  ///< see reaper/protocol.hpp; non-blocking
    Fd reaper;   ///< a pidfd of the reaper, which is our own child and has to be waited for
};

/// Starts a reaper that starts `command`. Blocks for the time of one vfork and exec of a small static
/// program (about 0.1 ms), however large this process is. Any thread; nothing depends on that thread's life.
Result<Spawned> spawn(const Command& command);

/// The file to execute, found in the child's PATH before anything is forked. Relative and empty
/// entries of PATH are passed over: what runs must not depend on a working directory.
Result<std::string> find_program(const Command& command);

/// Takes the exit of a reaper. False while it still runs.
bool collect(int reaper) noexcept;
/// Keeps a reaper that still kills, and takes the exits of those kept before that are done.
void collect_later(Fd reaper);

}  // namespace gantry::process
