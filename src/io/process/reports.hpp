#pragma once

#include <optional>

#include "io/fd.hpp"
#include "io/process/reaper/protocol.hpp"

namespace gantry::process {

struct Received {
    /// False: the reaper has closed its end.
    bool whole = false;
    reaper::Report report = {};
    int sender = 0;  // the pid as we know it
    Fd socket = {};  // sent along
};

/// The next thing a reaper said; empty when there is nothing yet.
std::optional<Received> receive_report(int control);

}  // namespace gantry::process
