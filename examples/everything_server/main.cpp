// everything_server --port N [--era both|legacy|modern] [--stdio]: the server under test of the official suite.
#include <array>
#include <charconv>
#include <csignal>
#include <cstdio>

#include "auth/seal/sealer.hpp"
#include "fixture.hpp"
#include "io/http/server.hpp"
#include "io/loop.hpp"
#include "io/process/standard_streams.hpp"
#include "io/scope.hpp"
#include "io/signals.hpp"
#include "mcp/server/http_endpoint.hpp"
#include "mcp/server/stdio_endpoint.hpp"

namespace {

using namespace everything;
namespace http = gantry::http;

constexpr const char* kUsage = "usage: everything_server (--port N | --stdio) [--era both|legacy|modern]\n";
constexpr gantry::Duration kGrace = gantry::seconds(2);

struct Settings {
    std::uint16_t port = 0;
    bool stdio = false;
    mcp::Eras eras = mcp::Eras::kBoth;
};

std::optional<Settings> read(int argc, char** argv) {
    Settings settings;
    for (int i = 1; i < argc; ++i) {
        const std::string_view option = argv[i];
        if (option == "--stdio") {
            settings.stdio = true;
            continue;
        }
        if (i + 1 == argc) return {};
        const std::string_view value = argv[++i];
        if (option == "--port") {
            const auto parsed = std::from_chars(value.data(), value.data() + value.size(), settings.port);
            if (parsed.ec != std::errc() || parsed.ptr != value.data() + value.size()) return {};
        } else if (option == "--era" && (value == "both" || value == "legacy" || value == "modern")) {
            settings.eras = value == "both"     ? mcp::Eras::kBoth
                            : value == "legacy" ? mcp::Eras::kLegacy
                                                : mcp::Eras::kModern;
        } else {
            return {};
        }
    }
    return settings;
}

Task<void> route(const Context& ctx, http::Exchange& exchange, mcp::HttpEndpoint& endpoint, mcp::Server& server) {
    const std::string_view target = exchange.target();
    const std::string_view path = target.substr(0, target.find('?'));
    if (path == "/mcp") co_return co_await endpoint.handle(ctx, exchange, server, "/mcp");
    if (path == "/sse") co_return co_await endpoint.handle_sse(ctx, exchange, server, "/sse", "/messages");
    if (path == "/messages") co_return co_await endpoint.handle_sse_message(ctx, exchange);
    // A failure cannot be reported: the client is gone.
    static_cast<void>(co_await exchange.respond(ctx, 404, {{"Content-Type", "text/plain"}}, "MCP is at /mcp\n"));
}

Task<Result<void>> serve_http(Settings settings, mcp::Server& server, gantry::auth::Sealer& sealer) {
    mcp::HttpEndpointOptions options;
    options.eras = settings.eras;
    mcp::HttpEndpoint endpoint(options, sealer);
    http::ServerOptions listen;
    listen.port = settings.port;
    http::Server listener(gantry::Loop::current(), listen,
                          [&endpoint, &server](const Context& ctx, http::Exchange& exchange) {
                              return route(ctx, exchange, endpoint, server);
                          });
    if (auto started = listener.start(); !started) co_return gantry::fail(started.error());
    std::printf("http://127.0.0.1:%d/mcp\n", listener.port());
    std::fflush(stdout);

    static constexpr std::array kSignals{SIGINT, SIGTERM};
    const auto signal = co_await gantry::wait_for_signal(Context::background(), kSignals);
    endpoint.drain();
    co_await endpoint.close(kGrace);
    co_await listener.stop(kGrace);
    co_return signal ? Result<void>() : Result<void>(gantry::fail(signal.error()));
}

Task<void> stop_on_signal(gantry::CancelSource stop, Context ctx) {
    static constexpr std::array kSignals{SIGINT, SIGTERM};
    if (co_await gantry::wait_for_signal(ctx, kSignals)) stop.cancel();
}

Task<Result<void>> serve_stdio(Settings settings, mcp::Server& server) {
    auto stream = gantry::process::standard_streams(gantry::Loop::current());
    if (!stream) co_return gantry::fail(stream.error());
    mcp::StdioEndpointOptions options;
    options.eras = settings.eras;
    const gantry::CancelSource stop;
    gantry::Scope signals((Context::background()));
    signals.spawn(stop_on_signal(stop, signals.context()));
    auto served =
        co_await mcp::serve_lines(Context::background().stopped_by(stop), **stream, **stream, server, options, kGrace);
    signals.cancel();
    co_await signals.join();
    if (stop.cancelled()) co_return Result<void>();
    co_return served;
}

Task<Result<void>> run(Settings settings, mcp::Server& server, gantry::auth::Sealer& sealer) {
    auto served =
        settings.stdio ? co_await serve_stdio(settings, server) : co_await serve_http(settings, server, sealer);
    co_await server.close();
    co_return served;
}

}  // namespace

int main(int argc, char** argv) {
    const auto settings = read(argc, argv);
    if (!settings) return std::fputs(kUsage, stderr), 2;
    auto sealer = gantry::auth::Sealer::ephemeral();
    if (!sealer) return std::fprintf(stderr, "%s\n", sealer.error().to_string().c_str()), 1;
    gantry::Loop loop;
    mcp::Server server(self(), options(), &*sealer);
    furnish(server);
    const auto served = loop.run_until_done(run(*settings, server, *sealer));
    if (!served) return std::fprintf(stderr, "everything_server: %s\n", served.error().to_string().c_str()), 1;
    return 0;
}
