#pragma once

#include <memory>

#include "mcp/client/relay.hpp"
#include "mcp/transport/spooled_message.hpp"

namespace gantry::mcp {

/// Streams the result of a spooled, already validated answer. kLimit, kProtocol if it must not be forwarded.
Result<std::unique_ptr<RelayStream>> stream_file(std::unique_ptr<SpooledMessage> answer, std::size_t max_result_bytes);

}  // namespace gantry::mcp
