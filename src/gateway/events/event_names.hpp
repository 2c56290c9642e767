#pragma once

#include <string>
#include <string_view>

#include "gateway/events/chain.hpp"
#include "gateway/events/options.hpp"

namespace gantry::gateway::events {

/// The type under which a reader with these names receives an event: with kMcp "gantry.tool.called.v1" is
/// "mcp.tool_called". Types without another name are returned as they are.
std::string_view type_under(EventNames names, std::string_view type) noexcept;

/// The entry as such a reader receives it. With kMcp a tool's call says in `data` what agent runtimes expect of a tool
/// that was invoked: tool_name, params (null unless recorded), result (null unless recorded), source ("mcp" or
/// "native"; null if no server has the tool) and mcp_server (null unless source is "mcp"); its other members follow as
/// usual. `room` holds the new data and must live as long as the result.
JournalEntry entry_under(EventNames names, JournalEntry entry, std::string& room);

}  // namespace gantry::gateway::events
