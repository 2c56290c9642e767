#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "base/json/salvage.hpp"
#include "mcp/transport/connection.hpp"

namespace gantry::mcp {

/// How the text of a server is read: within which limits, and whether lone surrogates are refused or replaced. Requests
/// and notifications, and batches, are refused beyond 16 MB whatever the limits say (kLimit).
struct ServerText {
    JsonLimits limits = {};
    bool strict = false;

    Result<Message> decode(std::string_view text) const;
    Result<std::vector<Message>> decode_batch(std::string_view text) const;
};

/// What a text that is no message was meant to answer: `lost` names the request where its id can be found, and no
/// request where the text is an answer without one. Empty: no answer at all.
std::optional<Incoming> unreadable_answer(std::string_view text, const Error& why);
/// The id a salvaged message has; empty when there is none that could be one.
std::optional<RequestId> salvaged_id(const json::EnvelopeSalvage& salvage);

/// Whether a text that is no message was meant as the answer to `id`. An answer without an id counts.
bool is_unreadable_answer_to(std::string_view text, const RequestId& id);

/// The error of a request whose answer cannot be read.
Error unreadable(const Error& why);

}  // namespace gantry::mcp
