// The relay under test: one thread, the limits and timeouts a gateway would run with.
//
//     bench_relay UPSTREAM_PORT [CERTIFICATE KEY]     prints the port it listens on
//
// With upstream port 0 it answers by itself with 0.3 KB of JSON.
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include "base/url.hpp"
#include "io/http/client.hpp"
#include "io/http/relay.hpp"
#include "io/http/server.hpp"
#include "io/loop.hpp"
#include "io/net/egress.hpp"
#include "io/net/tls.hpp"

namespace {

using namespace gantry;

const std::string kAnswer = [] {
    std::string body = R"({"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":")";
    return body.append(211, 'x').append(R"("}],"isError":false}})");
}();

Task<void> answer(const Context& ctx, http::Exchange& exchange) {
    while (!exchange.body_complete()) {
        const auto piece = co_await exchange.read(ctx);
        if (!piece) co_return;
    }
    static const http::Headers kHeaders{{"Content-Type", "application/json"}};
    (void)co_await exchange.respond(ctx, 200, kHeaders, kAnswer);
}

int fail_with(const Error& error) {
    std::fprintf(stderr, "bench_relay: %s\n", error.to_string().c_str());
    return 1;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2 && argc != 4) {
        std::fprintf(stderr, "usage: bench_relay UPSTREAM_PORT [CERTIFICATE KEY]\n");
        return 2;
    }
    const std::string upstream = argv[1];
    std::shared_ptr<const net::TlsServerContext> tls;
    if (argc == 4) {
        net::TlsServerOptions tls_options;
        tls_options.certificate.file = argv[2];
        tls_options.key.file = argv[3];
        auto made = net::TlsServerContext::make(tls_options);
        if (!made) return fail_with(made.error());
        tls = *made;
    }
    Loop loop;
    const net::EgressGuard guard;
    http::Client client(loop, guard, {.idle_timeout = seconds(60), .max_idle_per_origin = 256});
    auto origin = Url::parse("http://127.0.0.1:" + (upstream == "0" ? "1" : upstream));
    if (!origin) return fail_with(origin.error());
    const http::Relay relay(client, *origin);
    http::Handler handler = [&](const Context& ctx, http::Exchange& exchange) { return relay.handle(ctx, exchange); };
    if (upstream == "0") handler = answer;

    http::Server server(loop, {}, std::move(handler), tls);
    if (auto started = server.start(); !started) return fail_with(started.error());
    std::printf("%d\n", server.port());
    std::fflush(stdout);
    loop.run();
    std::_Exit(0);  // ended by a signal; nothing to tidy up
}
