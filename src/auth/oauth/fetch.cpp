#include "auth/oauth/fetch.hpp"

#include "base/try.hpp"
#include "io/net/egress.hpp"

namespace gantry::auth {
namespace {

Task<Result<FetchedResponse>> fetch_with(http::Client& client, FetchLimits limits, const Context& outer,
                                         http::Request request) {
    const Context ctx = outer.within(limits.timeout);
    GANTRY_CO_TRY(http::Response response, co_await client.send(ctx, std::move(request)));
    GANTRY_CO_TRY(std::string body, co_await response.read_all(ctx, limits.max_body_bytes));
    co_return FetchedResponse{response.status(), response.headers(), std::move(body)};
}

Task<Result<FetchedResponse>> refuse(Error why) {
    co_return std::unexpected(std::move(why));
}

/// Who was configured by an inner address lives there and may name others.
net::EgressGuard outward_guard(const Url& server) {
    net::EgressRules strict;
    strict.allow_loopback = server.is_loopback_literal();
    const bool inside =
        !net::EgressGuard(net::EgressRules{.allow_loopback = false, .allow_private = false}).check_url(server);
    strict.allow_private = inside;
    return net::EgressGuard(std::move(strict));
}

}  // namespace

Fetch make_http_fetch(http::Client& client, FetchLimits limits) {
    return [&client, limits](const Context& ctx, http::Request request) {
        return fetch_with(client, limits, ctx, std::move(request));
    };
}

Fetch make_outward_fetch(Fetch inner, Url server) {
    return
        [inner = std::move(inner), guard = outward_guard(server), server](const Context& ctx, http::Request request) {
            const bool own = request.url.origin() == server.origin();
            if (!own && request.url.is_loopback_literal() && !server.is_loopback_literal())
                return refuse(Error(ErrorCode::kDenied, server.origin() + " names an address on this machine"));
            if (auto checked = guard.check_url(request.url); !own && !checked)
                return refuse(checked.error().within("named by " + server.origin()));
            return inner(ctx, std::move(request));
        };
}

}  // namespace gantry::auth
