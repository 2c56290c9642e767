#pragma once

#include <memory>
#include <vector>

#include "transcripts/wire.hpp"

namespace gantry::mcp::testing {

/// Plays both the server's and the program's side against a real client; fails the test at the first line that differs,
/// and names it.
Task<void> play(std::vector<Line> lines, std::unique_ptr<PlayedServer> (*make_server)());

}  // namespace gantry::mcp::testing
