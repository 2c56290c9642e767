#pragma once

#include <expected>
#include <string>

#include "gantry/error.hpp"
#include "mcp/server/backend.hpp"
#include "mcp/server/http_endpoint.hpp"

// What an endpoint says about its backend when a client introduces itself.

namespace gantry::mcp {

/// What `initialize` said: the version to be spoken, and the client's own words.
struct Introduction {
    Revision revision = kLatestLegacyRevision;
    std::string capabilities = "{}";
    std::string info = {};  // name, version and title only: it travels in every session id
};
/// The error is what the request is answered with.
std::expected<Introduction, RpcError> read_introduction(const Call& call);

/// `can_tell`: the client can be told of changes unasked; else nothing of the kind is promised.
std::string initialize_result(const Face& face, Revision revision, bool can_tell);
std::string discover_result(const Face& face, Eras eras, bool can_tell);

}  // namespace gantry::mcp
