#include "visit.hpp"

#include "base/try.hpp"
#include "io/http/client.hpp"
#include "io/loop.hpp"
#include "io/net/egress.hpp"

namespace conformance {

namespace {

using namespace gantry;

Task<Result<std::string>> fetch_location(http::Client& client, std::string text) {
    GANTRY_CO_TRY(Url url, Url::parse(text));
    const Context ctx = Context::background().within(seconds(20));
    http::Request request;
    request.url = std::move(url);
    GANTRY_CO_TRY(http::Response response, co_await client.send(ctx, std::move(request)));
    const auto location = response.headers().get("location");
    if (!location) co_return fail(ErrorCode::kProtocol, "the authorization endpoint did not redirect");
    std::string target(*location);
    GANTRY_CO_CHECK(co_await response.read_all(ctx, 1u << 20));
    co_return target;
}

}  // namespace

Result<std::string> visit(const std::string& authorization_url) {
    Loop loop;
    const net::EgressGuard guard;
    http::Client client(loop, guard);
    auto location = loop.run_until_done(fetch_location(client, authorization_url));
    client.close();
    return location;
}

}  // namespace conformance
