#include "io/http/client.hpp"

#include <algorithm>
#include <array>

#include "base/try.hpp"
#include "io/http/pool.hpp"
#include "io/http/transaction.hpp"

namespace gantry::http {
namespace {

constexpr std::uint64_t kMaxDrained = 64u << 10;

bool is_redirect(int status) {
    return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

/// Across origins only fields that reveal nothing about the caller are kept: any other may be a credential,
/// whatever its name.
Headers without_credentials(const Headers& headers) {
    constexpr std::array<std::string_view, 7> kHarmless{"accept",     "accept-encoding", "accept-language",     "range",
                                                        "user-agent", "cache-control",   "mcp-protocol-version"};
    Headers kept;
    for (std::size_t i = 0; i < headers.size(); ++i) {
        const auto is_named = [name = headers[i].name](std::string_view other) {
            return equal_ignoring_case(name, other);
        };
        if (std::ranges::any_of(kHarmless, is_named)) kept.add(headers[i].name, headers[i].value);
    }
    return kept;
}

/// Reads a short body to its end, so that the connection can be reused.
Task<void> drain(const Context& ctx, Response& response) {
    for (std::uint64_t drained = 0; drained < kMaxDrained;) {
        const auto piece = co_await response.read(ctx);
        if (!piece || !*piece) co_return;
        drained += (*piece)->size();
    }
}

}  // namespace

Client::Client(Loop& loop, const net::EgressGuard& guard, ClientOptions options,
               std::shared_ptr<const net::TlsClientContext> tls)
    : pool_(std::make_shared<Pool>(loop, guard, std::move(options), std::move(tls))) {}

Client::~Client() {
    close();
}

void Client::close() noexcept {
    if (pool_) pool_->close();
}

Task<Result<Response>> Client::send(const Context& ctx, Request request) {
    const std::shared_ptr<Pool> pool = pool_;
    GANTRY_CO_CHECK(ctx.check());
    const bool may_follow = request.follow_redirects && (request.method == "GET" || request.method == "HEAD");
    auto to = std::make_shared<const Destination>(std::move(request.url), request.egress);
    for (int hops = 0;; ++hops) {
        const std::string target = to->url.target();
        const OutgoingHead head{.method = request.method, .target = target, .headers = request.headers};
        GANTRY_CO_TRY(Response response, co_await exchange(ctx, pool, to, head, request.body));
        const auto location = response.headers().get("location");
        if (!may_follow || !is_redirect(response.status()) || !location)
            co_return Result<Response>(std::move(response));
        if (hops >= pool->options().max_redirects)
            co_return fail(ErrorCode::kLimit, to->origin + ": too many redirects");
        auto next = to->url.resolve(*location);
        if (!next) co_return fail(ErrorCode::kProtocol, to->origin + ": redirect to an unusable address");
        if (to->url.is_https() && !next->is_https()) {
            co_return fail(ErrorCode::kDenied, to->origin + ": redirect from https to http");
        }
        co_await drain(ctx, response);
        auto destination = std::make_shared<const Destination>(*std::move(next), request.egress);
        if (destination->origin != to->origin) request.headers = without_credentials(request.headers);
        to = std::move(destination);
    }
}

}  // namespace gantry::http
