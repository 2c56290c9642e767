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

/// Supplies the credentials of an HTTP transport. Consulted before every request, because a proof of possession covers
/// method and URL, and after every response, because any of them may carry a nonce or a challenge.
///
/// Only ever consulted about the origin the transport was configured with.
class Authorization {
public:
    using Fields = std::vector<std::pair<std::string, std::string>>;

    /// The references are valid until the response has been handled.
    struct Request {
        std::string_view method;
        const Url& url;
        /// Called with true when the request starts to wait for a user to log in, and with false when it stops; may be
        /// empty.
        std::function<void(bool waiting)> on_login = {};
    };
    struct Answer {
        int status = 0;
        const http::Headers& headers;
        /// The fields headers_for() returned for this request.
        const Fields& sent;
        /// The numeric address it came from.
        std::string_view peer = {};
    };

    virtual ~Authorization() = default;

    /// Header fields to add, e.g. {"Authorization", "Bearer …"}; empty if there are no credentials yet.
    virtual Task<Result<Fields>> headers_for(const Context& ctx, Request request) = 0;

    /// Returns true if the request should be retried with new headers_for(): a token was obtained, refreshed or
    /// stepped up. An error if a required authorization failed; the transport returns it to its caller.
    virtual Task<Result<bool>> on_response(const Context& ctx, Request request, Answer answer) = 0;
};

}  // namespace gantry::mcp
