#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "base/json/salvage.hpp"
#include "mcp/transport/connection.hpp"

namespace gantry::mcp {

/// How text of a server is parsed: the limits, and whether lone surrogates are rejected or replaced. Requests,
/// notifications and batches are rejected beyond 16 MB whatever the limits (kLimit).
struct ServerText {
    JsonLimits limits = {};
    bool strict = false;

    Result<Message> decode(std::string_view text) const;
    Result<std::vector<Message>> decode_batch(std::string_view text) const;
};

/// The request that an invalid text was meant to answer: `lost` names it if its id can be found, and no request if
/// the text is an answer without one. Empty: not an answer.
std::optional<Incoming> unreadable_answer(std::string_view text, const Error& why);
/// The id of a salvaged message; empty if it has no valid one.
std::optional<RequestId> salvaged_id(const json::EnvelopeSalvage& salvage);

/// Whether an invalid text was meant as the answer to `id`. An answer without an id counts.
bool is_unreadable_answer_to(std::string_view text, const RequestId& id);

/// The error for a request whose answer is unreadable.
Error unreadable(const Error& why);

}  // namespace gantry::mcp
