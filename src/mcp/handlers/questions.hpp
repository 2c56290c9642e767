#pragma once

#include <optional>
#include <string_view>

#include "gantry/error.hpp"
#include "gantry/mcp/input.hpp"
#include "mcp/server/peer.hpp"

// Server-to-client requests, independent of how they are transported.

namespace gantry::mcp {

/// Name of the capability for error messages, e.g. "sampling".
std::string_view name_of(const InputRequest& request);

/// The capabilities the client would have to declare to be asked this; empty if it declared them.
std::optional<ClientCapabilities> missing_for(const InputRequest& request, const Peer& peer);

/// The JSON-RPC request to send to a legacy client.
struct Question {
    std::string_view method;
    Json params;
};
/// kUnsupported if the client's revision cannot be asked this.
Result<Question> question_for(const InputRequest& request, const Peer& peer);
/// Decodes and validates the client's answer; `text` is the result of ReplyChannel::ask().
Result<Json> answer_from(std::string_view key, const InputRequest& request, std::string_view text, Revision revision);

/// kInvalidArgument if it does not answer `request`. The message has `key` and the reason, never the answer.
Result<void> check_answer(std::string_view key, const InputRequest& request, const Json& answer, Revision revision);

}  // namespace gantry::mcp
