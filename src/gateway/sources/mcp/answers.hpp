#pragma once

#include "gateway/model/call.hpp"
#include "gateway/ports/output.hpp"
#include "gateway/sources/mcp/carried.hpp"
#include "gateway/sources/mcp/lanes.hpp"
#include "mcp/client/relay.hpp"

// What a server answered, as the rest of the gateway wants it.

namespace gantry::gateway {

/// The answer as it came. One that still streams keeps its connection.
Output to_output(mcp::RelayAnswer answer, Lease lease);

/// A modern server's answer by its result type. kProtocol when it breaks the rules: an unknown type, input where none
/// may be asked for, questions the client did not offer to answer.
Result<Output> read_modern_answer(mcp::RelayAnswer answer, Lease lease, Verb verb, const Carried& carried,
                                  bool takes_tasks);

// States of calls to be resumed. A modern server's own state is marked, so that it cannot be taken for one of ours.
std::string modern_state(std::string_view inner);
/// What the server is sent back; empty: nothing.
std::string_view inner_state(std::string_view state) noexcept;
bool is_visit_state(std::string_view state) noexcept;

/// -32042 of 2025-11-25: pages to visit before the call is made again. For a modern client they are questions; one
/// that cannot be sent to a page gets -32021. Anything else comes back as it is.
Result<Output> read_legacy_error(const Error& error, const ClientTraits& client, const Carried& carried);

/// Whether every page was agreed to; `responses` is the JSON text of inputResponses.
bool all_visited(std::string_view responses);

/// A failure of the tool, told to whoever called it.
Output failed_tool(std::string_view why, mcp::Revision revision);

}  // namespace gantry::gateway
