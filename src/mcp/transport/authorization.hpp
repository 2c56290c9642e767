#pragma once

#include <functional>
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

    /// The references live until the answer is dealt with.
    struct Request {
        std::string_view method;
        const Url& url;
        /// Told when the request begins (true) and stops (false) waiting for a person to log in; may be empty.
        std::function<void(bool waiting)> on_login = {};
    };
    struct Answer {
        int status = 0;
        const http::Headers& headers;
        /// What headers_for() gave for this request.
        const Fields& sent;
        /// The numeric address it came from.
        std::string_view peer = {};
    };

    virtual ~Authorization() = default;

    /// Header fields to add, e.g. {"Authorization", "Bearer …"}; empty while there is nothing to show.
    virtual Task<Result<Fields>> headers_for(const Context& ctx, Request request) = 0;

    /// True when the request should be sent again, with new headers_for(): a token was obtained, refreshed or
    /// stepped up. An error when a needed authorization failed; the transport passes it on.
    virtual Task<Result<bool>> on_response(const Context& ctx, Request request, Answer answer) = 0;
};

}  // namespace gantry::mcp
