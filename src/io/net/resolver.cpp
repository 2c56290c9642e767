#include "io/net/resolver.hpp"

#include <algorithm>
#include <boost/asio/ip/tcp.hpp>

#include "base/try.hpp"
#include "io/loop.hpp"
#include "io/net/address.hpp"
#include "io/waiter.hpp"

namespace gantry::net {

namespace asio = boost::asio;

namespace {

using Resolver = asio::ip::basic_resolver<asio::ip::tcp, Executor>;

constexpr std::size_t kMaxAddresses = 32;

/// Shared with the lookup's handler: getaddrinfo cannot be interrupted, so a task that gives up leaves
/// the handler behind.
struct Lookup {
    explicit Lookup(const Executor& executor) : resolver(executor) {}

    Resolver resolver;
    Waiter* waiter = nullptr;
    boost::system::error_code error;
    Resolver::results_type found;
};

void start(const std::shared_ptr<Lookup>& lookup, const std::string& host, std::uint16_t port) {
    lookup->resolver.async_resolve(host, std::to_string(port), asio::ip::resolver_base::numeric_service,
                                   [lookup](const boost::system::error_code& error, Resolver::results_type found) {
                                       if (!lookup->waiter) return;
                                       lookup->error = error;
                                       lookup->found = std::move(found);
                                       lookup->waiter->wake(Wake::kReady);
                                   });
}

std::vector<Endpoint> endpoints_of(const Resolver::results_type& found) {
    std::vector<Endpoint> endpoints;
    for (const auto& entry : found) {
        std::string address = entry.endpoint().address().to_string();
        const auto same = [&](const Endpoint& known) { return known.address == address; };
        if (std::any_of(endpoints.begin(), endpoints.end(), same)) continue;
        endpoints.push_back({std::move(address), entry.endpoint().port()});
        if (endpoints.size() == kMaxAddresses) break;
    }
    return endpoints;
}

}  // namespace

Task<Result<std::vector<Endpoint>>> resolve_host(const Context& ctx, std::string host, std::uint16_t port) {
    GANTRY_CO_CHECK(ctx.check());
    if (host.empty() || host.size() > 255 || host.find('\0') != std::string::npos) {
        co_return fail(ErrorCode::kInvalidArgument, "not a host name");
    }
    Loop& loop = Loop::current();
    const auto lookup = std::make_shared<Lookup>(loop.executor());
    const bool numeric = Address::parse(host).has_value();
    if (numeric) {
        const auto flags = asio::ip::resolver_base::numeric_host | asio::ip::resolver_base::numeric_service;
        lookup->found = lookup->resolver.resolve(host, std::to_string(port), flags, lookup->error);
    } else {
        Waiter waiter(loop);
        waiter.watch(ctx);
        lookup->waiter = &waiter;
        struct Leave {
            Lookup& lookup;
            ~Leave() { lookup.waiter = nullptr; }
        } leave{*lookup};
        start(lookup, host, port);
        co_await waiter.park();
        if (auto waited = waiter.result(); !waited) {
            lookup->resolver.cancel();
            co_return fail(waited.error().within("resolve " + host));
        }
    }
    if (lookup->error) {
        co_return fail(ErrorCode::kConnection, "resolve " + host + ": " + lookup->error.message());
    }
    auto endpoints = endpoints_of(lookup->found);
    if (endpoints.empty()) co_return fail(ErrorCode::kConnection, "resolve " + host + ": no address");
    co_return endpoints;
}

}  // namespace gantry::net
