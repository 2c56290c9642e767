#include "mcp/handlers/facade/mount_host.hpp"

#include "mcp/handlers/facade/mounted_exchange.hpp"

namespace gantry::detail {
namespace {

/// Sessions are bound to a path. The program's route is not known here, and there is only one.
constexpr std::string_view kPath = "/";
constexpr std::size_t kMaxHeaderBytes = 64u << 10;
/// For programs to read the last messages after calls have been cancelled.
constexpr Duration kLastWords = seconds(1);

mcp::HttpEndpointOptions options_of(MountSettings settings) {
    mcp::HttpEndpointOptions options;
    options.allowed_hosts = std::move(settings.allowed_hosts);
    options.allowed_origins = std::move(settings.allowed_origins);
    options.max_body_bytes = settings.max_body_bytes;
    return options;
}

/// Fills in `headers`. Returns the status to refuse the request with, or 0.
int take_headers(const Fields& fields, http::Headers& headers) {
    std::size_t bytes = 0;
    for (const auto& [name, value] : fields) {
        bytes += name.size() + value.size();
        if (bytes > kMaxHeaderBytes) return 431;
        if (!http::Headers::valid_name(name) || !http::Headers::valid_value(value)) return 400;
        headers.add(name, value);
    }
    return 0;
}

}  // namespace

MountHost::MountHost(MountSettings settings, auth::Sealer& sealer, mcp::Server& server)
    : server_(server), endpoint_(options_of(std::move(settings)), sealer), exchanges_(Context::background()) {}

void MountHost::serve(std::shared_ptr<const MountRequest> request, std::shared_ptr<MountedReply> reply) {
    exchanges_.spawn(serve_one(std::move(request), std::move(reply)));
}

Task<void> MountHost::serve_one(std::shared_ptr<const MountRequest> request, std::shared_ptr<MountedReply> reply) {
    const Context ctx = exchanges_.context();
    http::Headers headers;
    const int refused = take_headers(request->headers, headers);
    MountedExchange exchange(*request, headers, *reply);
    if (refused != 0) {
        const http::Headers plain{{"Content-Type", "text/plain"}};
        static_cast<void>(co_await exchange.respond(
            ctx, refused, plain, refused == 431 ? "the header fields are too large\n" : "malformed header field\n"));
    } else {
        co_await endpoint_.handle(ctx, exchange, server_, kPath);
    }
}

Task<void> MountHost::close(Duration grace) {
    force_.arm(
        Loop::current(), Deadline::after(grace + kLastWords),
        [](void* self) { static_cast<MountHost*>(self)->exchanges_.cancel(); }, this);
    co_await endpoint_.close(grace);
    co_await exchanges_.join();
    force_.disarm();
}

}  // namespace gantry::detail
