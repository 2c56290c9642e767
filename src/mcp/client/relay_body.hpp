#pragma once

#include <memory>
#include <string>

#include "io/http/client.hpp"
#include "mcp/client/relay.hpp"

namespace gantry::mcp {

/// A JSON answer under way.
struct BodyReading {
    http::Response response;
    /// What has been read of it. At the end the whole body, unless there is a stream.
    std::string held;
    std::unique_ptr<RelayStream> stream;
};

/// Reads the body of the answer to `id`: whole up to request.hold_bytes; beyond that `stream` gives its result, of
/// which the first byte has been seen. An error answer is held in any case, up to a megabyte.
Task<Result<void>> read_body(const Context& ctx, const RelayRequest& request, std::int64_t id, Deadline cap,
                             BodyReading& reading);

}  // namespace gantry::mcp
