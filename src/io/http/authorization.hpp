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

namespace gantry::http {

enum class Retry : bool { kNo = false, kYes = true };

/// Supplies the credentials of a client's requests to one server. Consulted before every request, because a proof of
/// possession covers method and URL, and after every response, because any of them may carry a nonce or a challenge.
///
/// Only ever consulted about the origin that the client was configured with.
class Authorization {
public:
    using Fields = std::vector<std::pair<std::string, std::string>>;

    /// The references are valid until the response has been handled.
    struct Request {
        std::string_view method;
        const Url& url;
        /// Called with true when the request starts to wait for a user to log in, and with false when it stops: its
        /// timeout should be paused in between, since the login has its own. May be empty.
        std::function<void(bool waiting)> on_login = {};
    };
    struct Answer {
        int status = 0;
        const Headers& headers;
        /// The fields headers_for() returned for the answered request.
        const Fields& sent;
        /// The peer's numeric address; empty if unknown.
        std::string_view peer = {};
    };

    virtual ~Authorization() = default;

    /// Header fields to add, e.g. {"Authorization", "Bearer …"}; empty if there are no credentials yet.
    virtual Task<Result<Fields>> headers_for(const Context& ctx, Request request) = 0;

    /// kYes: send the request again with new headers_for(), because a token was obtained, refreshed or stepped up. An
    /// error if a required authorization failed; the request's caller gets it.
    virtual Task<Result<Retry>> on_response(const Context& ctx, Request request, Answer answer) = 0;
};

}  // namespace gantry::http
