#pragma once

#include <optional>
#include <string_view>

#include "gantry/error.hpp"
#include "gantry/mcp/input.hpp"
#include "mcp/server/peer.hpp"

// What servers ask clients, whichever way the question travels.

namespace gantry::mcp {

/// "sampling": what a client is said to lack or refuse.
std::string_view name_of(const InputRequest& request);

/// What a client without the capability for a question has to declare; empty when it has it.
std::optional<ClientCapabilities> missing_for(const InputRequest& request, const Peer& peer);

/// A question as a JSON-RPC request to a legacy client.
struct Question {
    std::string_view method;
    Json params;
};
/// kUnsupported when the client's revision has no way to be asked that.
Result<Question> question_for(const InputRequest& request, const Peer& peer);
/// The answer in the terms of the question, and checked; `text` is what ReplyLine::ask() brought.
Result<Json> answer_from(std::string_view key, const InputRequest& request, std::string_view text, Revision revision);

/// kInvalidArgument when it is not an answer to `request`: names `key` and what is wrong, never the answer.
Result<void> check_answer(std::string_view key, const InputRequest& request, const Json& answer, Revision revision);

}  // namespace gantry::mcp
