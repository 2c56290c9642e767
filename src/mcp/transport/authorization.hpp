#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/url.hpp"
#include "io/context.hpp"
#include "io/http/headers.hpp"
#include "io/task.hpp"

namespace gantry::mcp {

/// Where an HTTP transport gets its credentials from. Asked before every request, because a proof of possession
/// covers method and URL; told of every response, because a nonce or a challenge may come with any of them.
///
/// Only ever asked about the origin the transport was configured with.
class Authorization {
public:
    using Fields = std::vector<std::pair<std::string, std::string>>;

    virtual ~Authorization() = default;

    /// Header fields to add, e.g. {"Authorization", "Bearer …"}; empty while there is nothing to show.
    virtual Task<Result<Fields>> headers_for(const Context& ctx, std::string_view method, const Url& url) = 0;

    /// True when the request should be sent again, with new headers_for(): a token was obtained, refreshed or
    /// stepped up. An error when a needed authorization failed; the transport passes it on.
    virtual Task<Result<bool>> on_response(const Context& ctx, std::string_view method, const Url& url, int status,
                                           const http::Headers& headers) = 0;
};

}  // namespace gantry::mcp
