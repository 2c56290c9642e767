#pragma once

#include <memory>
#include <vector>

#include "transcripts/wire.hpp"

namespace gantry::mcp::testing {

/// Plays the server's side and the program's against a real client; fails the test at the first line that comes
/// differently, naming it.
Task<void> play(std::vector<Line> lines, std::unique_ptr<PlayedServer> (*make_server)());

}  // namespace gantry::mcp::testing
