#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "base/clock.hpp"
#include "io/context.hpp"
#include "io/http/client.hpp"
#include "io/task.hpp"

namespace gantry::auth {

struct FetchedResponse {
    int status = 0;
    http::Headers headers;
    std::string body;
};

/// How this module reaches the world: one request, one whole answer. Tests put a fake here.
using Fetch = std::function<Task<Result<FetchedResponse>>(const Context& ctx, http::Request request)>;

struct FetchLimits {
    std::size_t max_body_bytes = 1u << 20;
    Duration timeout = seconds(30);
};

/// Through `client`, and so through its egress guard. The client must outlive the function.
Fetch make_http_fetch(http::Client& client, FetchLimits limits = {});

/// For URLs that `server` or its metadata told us: a server out there must not send us to addresses on this machine
/// or inside this network. Names are left to the client's egress guard, which sees what they resolve to.
Fetch make_outward_fetch(Fetch inner, Url server);

}  // namespace gantry::auth
