#pragma once

#include <expected>
#include <string>

#include "gantry/error.hpp"
#include "mcp/server/backend.hpp"
#include "mcp/server/http_endpoint.hpp"

// How an endpoint describes its backend to a client.

namespace gantry::mcp {

/// The content of `initialize`: the negotiated version and the client's self-description.
struct Introduction {
    Revision revision = kLatestLegacyRevision;
    std::string capabilities = "{}";
    std::string info = {};  // name, version and title only, because it becomes part of every session id
};
/// The error is the response to the request.
std::expected<Introduction, RpcError> read_introduction(const Call& call);

/// `can_tell`: the client can receive unsolicited notifications; otherwise none are promised.
std::string initialize_result(const ServerProfile& profile, Revision revision, bool can_tell);
std::string discover_result(const ServerProfile& profile, Eras eras, bool can_tell);

}  // namespace gantry::mcp
