#include "auth/oauth/loopback_agent.hpp"

#include <optional>

#include "base/crypto/digest.hpp"
#include "base/try.hpp"
#include "base/url.hpp"
#include "io/http/server.hpp"
#include "io/loop.hpp"
#include "io/sync.hpp"

namespace gantry::auth {
namespace {

constexpr std::string_view kDone =
    "<!doctype html><meta charset=utf-8><title>Gantry</title><p>Thank you. You can close this window.</p>";
constexpr std::string_view kFailed =
    "<!doctype html><meta charset=utf-8><title>Gantry</title><p>The authorization was not granted. You can close this "
    "window.</p>";
constexpr std::string_view kStray =
    "<!doctype html><meta charset=utf-8><title>Gantry</title><p>This page does not belong to a login that is under "
    "way.</p>";

class LoopbackAgent final : public UserAgent {
public:
    LoopbackAgent(Loop& loop, LoopbackOptions options) : loop_(loop), options_(std::move(options)) {}

    Task<Result<std::string>> redirect_uri(const Context&, std::string registered) override {
        if (server_) co_await stop();
        std::uint16_t port = options_.port;
        // Reuse the port of an earlier registration if it is still available.
        if (const auto before = Url::parse(registered);
            port == 0 && before && before->host() == options_.host && before->path() == options_.path) {
            if (listen(before->port())) co_return Result<std::string>(uri());
        }
        GANTRY_CO_CHECK(listen(port));
        co_return Result<std::string>(uri());
    }

    Task<Result<AuthorizationResponse>> authorize(const Context& ctx, std::string url, std::string state) override {
        if (!server_) co_return fail(ErrorCode::kInvalidArgument, "authorize() before redirect_uri()");
        state_ = std::move(state);
        response_.reset();
        arrived_.reset();
        if (options_.show) options_.show(url);
        if (options_.open_browser) static_cast<void>(open_in_browser(url));  // the user has the URL in any case
        auto waited = co_await arrived_.wait(ctx);
        state_.clear();
        co_await stop();
        if (!waited) co_return fail(waited.error().within("waiting for the login in the browser"));
        co_return *std::move(response_);
    }

    Task<void> finish() override {
        if (server_) co_await stop();
    }

private:
    Result<void> listen(std::uint16_t port) {
        http::ServerOptions options;
        options.host = "127.0.0.1";
        options.port = port;
        options.max_connections = 32;
        options.max_body_bytes = 4096;
        options.max_head_bytes = 32u << 10;
        auto server = std::make_unique<http::Server>(
            loop_, options, [this](const Context& ctx, http::Exchange& exchange) { return handle(ctx, exchange); });
        if (auto started = server->start(); !started)
            return fail(started.error().within("the login's redirect listener"));
        server_ = std::move(server);
        return {};
    }

    Task<void> stop() {
        co_await server_->stop(seconds(1));  // lets the final page be sent
        server_.reset();
    }

    std::string uri() const {
        return "http://" + options_.host + ":" + std::to_string(server_->port()) + options_.path;
    }

    Task<void> handle(const Context& ctx, http::Exchange& exchange) {
        const std::string_view target = exchange.target();
        const std::string_view path = target.substr(0, target.find('?'));
        std::optional<AuthorizationResponse> parsed;
        if (exchange.method() == "GET" && path == options_.path && path.size() < target.size())
            if (auto response = parse_redirect(target)) parsed = *std::move(response);
        const bool ours = parsed && !state_.empty() && !response_ && crypto::equal_constant_time(parsed->state, state_);
        const std::string_view page = !ours ? kStray : parsed->error.empty() ? kDone : kFailed;
        const http::Headers headers{{"Content-Type", "text/html; charset=utf-8"},
                                    {"Cache-Control", "no-store"},
                                    {"Referrer-Policy", "no-referrer"},
                                    {"Content-Security-Policy", "default-src 'none'"},
                                    {"Connection", "close"}};
        if (ours) response_ = std::move(parsed);
        static_cast<void>(co_await exchange.respond(ctx, ours ? 200 : 400, headers, page));
        if (ours) arrived_.set();
    }

    Loop& loop_;
    LoopbackOptions options_;
    std::unique_ptr<http::Server> server_;
    std::string state_;
    std::optional<AuthorizationResponse> response_;
    Event arrived_;
};

}  // namespace

std::unique_ptr<UserAgent> make_loopback_agent(Loop& loop, LoopbackOptions options) {
    return std::make_unique<LoopbackAgent>(loop, std::move(options));
}

}  // namespace gantry::auth
