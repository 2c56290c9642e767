#pragma once

#include <string>
#include <string_view>

#include "gateway/sources/mcp/forwarded_capabilities.hpp"

// Questions from servers to clients and the answers to them: elicitation/create, sampling/createMessage, roots/list.

namespace gantry::gateway {

/// Rejects what the client did not declare: -32601 for a method, -32602 for a mode. `params` is JSON text or empty.
Result<void> check_question(const ForwardedCapabilities& client, std::string_view method, std::string_view params);

/// The same for a modern server's `inputRequests`. Fails with kProtocol and names the broken rule.
Result<void> check_input_requests(const ForwardedCapabilities& client, const Json& requests);

/// A question's params as shown to a modern client, without the members that belong to the other hop. Text that is not
/// an object becomes an empty one.
std::string clean_question(std::string_view params);

/// Checks that `answer` has the shape of that method's result. Fails with kInvalidArgument, as -32602.
Result<void> check_answer(std::string_view method, const Json& answer);

/// -32602 as an error of ours.
Error invalid_params(std::string message);

/// The reply to a server whose question stayed unanswered. An elicitation counts as cancelled; other methods have no
/// such result, so the server receives an error.
Result<std::string> unanswered(std::string_view method);

}  // namespace gantry::gateway
