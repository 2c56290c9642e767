#pragma once

#include "gateway/model/call.hpp"
#include "gateway/ports/output.hpp"
#include "gateway/sources/mcp/forwarded_capabilities.hpp"
#include "gateway/sources/mcp/lanes.hpp"
#include "mcp/client/relay.hpp"

// Converts a server's answers to the gateway's own terms.

namespace gantry::gateway {

/// Converts the answer unchanged. An answer that is still streaming holds on to its lease.
Output to_output(mcp::RelayAnswer answer, Lease lease);

/// Interprets a modern server's answer by its result type. Fails with kProtocol when the server breaks the rules: an
/// unknown type, an input request where none is allowed, or a question the client did not declare.
Result<Output> read_modern_answer(mcp::RelayAnswer answer, Lease lease, Verb verb,
                                  const ForwardedCapabilities& forwarded, bool takes_tasks);

// State of a resumable call as the client sees it. A modern server's own state is marked, so that it cannot be mistaken
// for one of ours.
std::string modern_state(std::string_view inner);
/// The state to send back to the server; empty if there is none.
std::string_view inner_state(std::string_view state) noexcept;
bool is_visit_state(std::string_view state) noexcept;

/// Handles -32042 of 2025-11-25, which lists URLs to visit before the call is repeated. A modern client receives them
/// as questions; a client that does not support URL elicitation receives -32021. Any other error is returned unchanged.
Result<Output> read_legacy_error(const Error& error, const ClientTraits& client,
                                 const ForwardedCapabilities& forwarded);

/// Returns whether every URL was accepted; `responses` is the JSON text of inputResponses.
bool all_visited(std::string_view responses);

/// A failure of the tool, reported to the caller as a result.
Output failed_tool(std::string_view why, mcp::Revision revision);

}  // namespace gantry::gateway
