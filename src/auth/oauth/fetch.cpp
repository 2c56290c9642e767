#include "auth/oauth/fetch.hpp"

#include "base/try.hpp"
#include "io/net/address.hpp"
#include "io/net/egress.hpp"

namespace gantry::auth {
namespace {

Task<Result<FetchedResponse>> fetch_with(http::Client& client, FetchLimits limits, const Context& outer,
                                         http::Request request) {
    const Context ctx = outer.within(limits.timeout);
    GANTRY_CO_TRY(http::Response response, co_await client.send(ctx, std::move(request)));
    GANTRY_CO_TRY(std::string body, co_await response.read_all(ctx, limits.max_body_bytes));
    co_return FetchedResponse{response.status(), response.headers(), std::move(body), response.peer_address()};
}

Task<Result<FetchedResponse>> fetch_outward(const Fetch& inner, std::shared_ptr<NetworkZone> home, const Context& ctx,
                                            http::Request request) {
    const bool own = home->is_own(request.url);
    if (!own) {
        GANTRY_CO_CHECK(home->check(request.url));
        request.egress = home->rule();
    }
    GANTRY_CO_TRY(FetchedResponse response, co_await inner(ctx, std::move(request)));
    if (own) home->saw(response.peer);
    co_return response;
}

}  // namespace

NetworkZone::NetworkZone(Url server) : server_(std::move(server)) {
    settle(server_.is_loopback_literal() ? Place::kLoopback : place_of(server_.host()));
}

NetworkZone::Place NetworkZone::place_of(std::string_view address) {
    const auto parsed = net::Address::parse(address);
    if (!parsed) return Place::kUnknown;
    switch (net::classify(*parsed)) {
        case net::AddressKind::kPublic: return Place::kPublic;
        case net::AddressKind::kLoopback:
        case net::AddressKind::kUnspecified: return Place::kLoopback;
        case net::AddressKind::kLinkLocal: return Place::kLinkLocal;
        default: return Place::kPrivate;
    }
}

void NetworkZone::saw(std::string_view address) {
    if (const Place place = place_of(address); place > place_) settle(place);
}

void NetworkZone::settle(Place place) {
    place_ = place;
    net::EgressRules rules;
    rules.allow_loopback = place == Place::kLoopback;
    rules.allow_private = place != Place::kUnknown && place != Place::kPublic;
    rules.allow_link_local = place == Place::kLinkLocal;
    rule_ = std::make_shared<const net::EgressGuard>(std::move(rules));
}

Result<void> NetworkZone::check(const Url& url) const {
    if (is_own(url)) return {};
    if (url.is_loopback_literal() && place_ != Place::kLoopback)
        return fail(ErrorCode::kDenied, server_.origin() + " names an address on this machine");
    if (auto checked = rule_->check_url(url); !checked)
        return fail(checked.error().within("named by " + server_.origin()));
    return {};
}

Fetch make_http_fetch(http::Client& client, FetchLimits limits) {
    return [&client, limits](const Context& ctx, http::Request request) {
        return fetch_with(client, limits, ctx, std::move(request));
    };
}

Fetch make_outward_fetch(Fetch inner, std::shared_ptr<NetworkZone> home) {
    return [inner = std::move(inner), home = std::move(home)](const Context& ctx, http::Request request) {
        return fetch_outward(inner, home, ctx, std::move(request));
    };
}

}  // namespace gantry::auth
