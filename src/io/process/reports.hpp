#pragma once

#include <optional>

#include "io/fd.hpp"
#include "io/process/reaper/protocol.hpp"

namespace gantry::process {

struct Received {
    /// False: the reaper has closed its end.
    bool whole = false;
    reaper::Report report = {};
    int sender = 0;  // the pid in our namespace
    Fd socket = {};  // passed along with the report
};

/// The next report of a reaper; empty if there is none yet.
std::optional<Received> receive_report(int control);

}  // namespace gantry::process
