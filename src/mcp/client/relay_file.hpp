#pragma once

#include <memory>

#include "mcp/client/relay.hpp"
#include "mcp/transport/spooled_message.hpp"

namespace gantry::mcp {

/// The result of an answer that lies in a file, checked already. kLimit, kProtocol when it is none that may be passed
/// on.
Result<std::unique_ptr<RelayStream>> stream_file(std::unique_ptr<SpooledMessage> answer, std::size_t max_result_bytes);

}  // namespace gantry::mcp
