#pragma once

#include <string>
#include <string_view>

#include "gateway/sources/mcp/carried.hpp"

// What servers ask of clients, and what clients answer: elicitation/create, sampling/createMessage, roots/list.

namespace gantry::gateway {

/// Refuses what the client did not declare: -32601 for a method, -32602 for a mode. `params` is JSON text or empty.
Result<void> check_question(const Carried& client, std::string_view method, std::string_view params);

/// The same for the `inputRequests` of a modern server. kProtocol: the server broke the rules, naming how.
Result<void> check_input_requests(const Carried& client, const Json& requests);

/// A question's params as a modern client may see them: what belongs to the other hop is taken out. Text that is no
/// object becomes an empty one.
std::string clean_question(std::string_view params);

/// Whether `answer` has the shape of that method's result. kInvalidArgument, as -32602, when it has not.
Result<void> check_answer(std::string_view method, const Json& answer);

/// -32602 as an error of ours.
Error invalid_params(std::string message);

/// What the error for an unanswered question is: a person who never came has cancelled; for the rest there is no such
/// word, and the server gets an error.
Result<std::string> unanswered(std::string_view method);

}  // namespace gantry::gateway
