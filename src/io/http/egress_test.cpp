#include <deque>

#include "io/http/client.hpp"
#include "io/http/http_test_support.hpp"
#include "io/http/pool.hpp"

namespace gantry::http::testing {
namespace {

class EgressRule : public HttpTest {};

using Addresses = std::vector<std::string>;

/// A name server: answers each lookup with the next entry and repeats the last one.
class FakeDns {
public:
    explicit FakeDns(std::deque<Addresses> answers) : answers_(std::move(answers)) {}

    net::Resolve resolve() {
        return [this](const Context&, std::string, std::uint16_t port) { return look_up(*this, port); };
    }
    int lookups = 0;

private:
    static Task<Result<std::vector<net::Endpoint>>> look_up(FakeDns& dns, std::uint16_t port) {
        ++dns.lookups;
        std::vector<net::Endpoint> found;
        for (const std::string& address : dns.answers_.front()) found.push_back({address, port});
        if (dns.answers_.size() > 1) dns.answers_.pop_front();
        co_return found;
    }
    std::deque<Addresses> answers_;
};

std::shared_ptr<const net::EgressGuard> rule(net::EgressRules rules) {
    return std::make_shared<const net::EgressGuard>(std::move(rules));
}
std::shared_ptr<const net::EgressGuard> outside_only() {
    return rule({.allow_loopback = false, .allow_private = false});
}
std::shared_ptr<const net::EgressGuard> this_machine() {
    return rule({.allow_private = false});
}

Task<std::string> get(Client& client, std::uint16_t port, std::shared_ptr<const net::EgressGuard> egress,
                      std::string target = "/") {
    Request request;
    request.url = *Url::parse("http://server.example:" + std::to_string(port) + target);
    request.follow_redirects = true;
    request.egress = std::move(egress);
    auto response = co_await client.send(patiently(), std::move(request));
    if (!response) co_return std::string(to_string(response.error().code()));
    EXPECT_EQ(response->peer_address(), "127.0.0.1");
    auto body = co_await response->read_all(patiently(), 1u << 16);
    co_return body ? *body : std::string(to_string(body.error().code()));
}

Task<void> check_names(Loop& loop, std::uint16_t port) {
    FakeDns inner({{"127.0.0.1"}});
    const net::EgressGuard guard({}, inner.resolve());
    Client client(loop, guard);
    EXPECT_EQ(co_await get(client, port, outside_only()), "denied");
    EXPECT_EQ(co_await get(client, port, this_machine()), "GET / ");
    EXPECT_EQ(co_await get(client, port, nullptr), "GET / ");
    for (const char* address : {"10.0.0.1", "169.254.169.254", "::ffff:192.168.0.1", "fd00::1"}) {
        FakeDns private_name({{address}});
        const net::EgressGuard other({}, private_name.resolve());
        Client fresh(loop, other);
        EXPECT_EQ(co_await get(fresh, port, this_machine()), "denied") << address;
    }
}

TEST_F(EgressRule, HoldsForWhatANameResolvesTo) {
    run(check_names(loop_, serve(echo).port()));
}

Task<void> check_mixed(Loop& loop, std::uint16_t port) {
    FakeDns dns({{"10.255.255.1", "169.254.169.254", "127.0.0.1"}});
    const net::EgressGuard guard({}, dns.resolve());
    Client client(loop, guard);
    EXPECT_EQ(co_await get(client, port, this_machine()), "GET / ");
}

TEST_F(EgressRule, ConnectsOnlyToTheAddressesThatPass) {
    run(check_mixed(loop_, serve(echo).port()));
}

Task<void> check_rebinding(Loop& loop, std::uint16_t port) {
    FakeDns dns({{"127.0.0.1"}, {"10.255.255.1"}});
    const net::EgressGuard guard({}, dns.resolve());
    Client client(loop, guard);
    // The checked address is the one connected to: there is no second lookup that could be spoofed.
    EXPECT_EQ(co_await get(client, port, this_machine()), "GET / ");
    EXPECT_EQ(dns.lookups, 1);
    // The pooled connection keeps its address; only a new one queries the name server again.
    EXPECT_EQ(co_await get(client, port, this_machine()), "GET / ");
    EXPECT_EQ(dns.lookups, 1);
    client.pool()->close_idle();
    EXPECT_EQ(co_await get(client, port, this_machine()), "denied");
    EXPECT_EQ(dns.lookups, 2);
}

TEST_F(EgressRule, ANameThatMovesInsideIsRefusedWhenItIsLookedUpAgain) {
    run(check_rebinding(loop_, serve(echo).port()));
}

Task<void> check_pooled(Loop& loop, std::uint16_t port) {
    FakeDns dns({{"127.0.0.1"}});
    const net::EgressGuard guard({}, dns.resolve());
    ClientOptions options;
    options.max_connections_per_origin = 1;
    Client client(loop, guard, options);
    EXPECT_EQ(co_await get(client, port, nullptr), "GET / ");
    EXPECT_EQ(co_await get(client, port, this_machine()), "GET / ");
    EXPECT_EQ(dns.lookups, 1) << "the rule allows the kept connection";
    EXPECT_EQ(co_await get(client, port, outside_only()), "denied");
    EXPECT_EQ(dns.lookups, 2) << "the kept connection goes where this request may not";
}

TEST_F(EgressRule, AKeptConnectionOfALaxerRequestDoesNotServeAStricterOne) {
    run(check_pooled(loop_, serve(echo).port()));
}

Task<void> check_listed(Loop& loop, std::uint16_t port) {
    FakeDns dns({{"127.0.0.1"}});
    const net::EgressGuard guard({}, dns.resolve());
    Client client(loop, guard);
    EXPECT_EQ(co_await get(client, port, nullptr), "GET / ");
    EXPECT_EQ(co_await get(client, port, rule({.deny_hosts = {"server.example"}})), "denied");
}

TEST_F(EgressRule, AlsoNamesHosts) {
    run(check_listed(loop_, serve(echo).port()));
}

Task<void> redirect_inside(const Context& ctx, Exchange& exchange) {
    if (exchange.target() == "/") {
        (void)co_await exchange.respond(ctx, 302, Headers{{"Location", "http://10.0.0.1/secret"}}, "");
    } else {
        (void)co_await exchange.respond(ctx, 302, Headers{{"Location", "http://inside.example/secret"}}, "");
    }
}

Task<void> check_redirects(Loop& loop, std::uint16_t port) {
    FakeDns dns({{"127.0.0.1"}, {"192.168.7.7"}});
    const net::EgressGuard guard({}, dns.resolve());
    Client client(loop, guard);
    EXPECT_EQ(co_await get(client, port, this_machine()), "denied") << "spelled out";
    EXPECT_EQ(dns.lookups, 1);
    EXPECT_EQ(co_await get(client, port, this_machine(), "/name"), "denied") << "by name";
    EXPECT_EQ(dns.lookups, 2);
}

TEST_F(EgressRule, HoldsForEveryHopOfARedirect) {
    run(check_redirects(loop_, serve(redirect_inside).port()));
}

}  // namespace
}  // namespace gantry::http::testing
