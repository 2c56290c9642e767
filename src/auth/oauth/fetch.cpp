#include "auth/oauth/fetch.hpp"

#include "base/try.hpp"

namespace gantry::auth {
namespace {

Task<Result<FetchedResponse>> fetch_with(http::Client& client, FetchLimits limits, const Context& outer,
                                         http::Request request) {
    const Context ctx = outer.within(limits.timeout);
    GANTRY_CO_TRY(http::Response response, co_await client.send(ctx, std::move(request)));
    GANTRY_CO_TRY(std::string body, co_await response.read_all(ctx, limits.max_body_bytes));
    co_return FetchedResponse{response.status(), response.headers(), std::move(body)};
}

}  // namespace

Fetch make_http_fetch(http::Client& client, FetchLimits limits) {
    return [&client, limits](const Context& ctx, http::Request request) {
        return fetch_with(client, limits, ctx, std::move(request));
    };
}

}  // namespace gantry::auth
