#include "gateway/sources/mcp/upstream.hpp"

#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/try.hpp"
#include "gateway/policy/glob.hpp"
#include "gateway/ports/sandbox.hpp"
#include "gateway/ports/secret_resolver.hpp"
#include "io/loop.hpp"
#include "mcp/client/era_cache.hpp"
#include "mcp/client/relay.hpp"
#include "mcp/client/server_identity.hpp"
#include "mcp/transport/child_http.hpp"
#include "mcp/transport/http_sse.hpp"
#include "mcp/transport/stdio.hpp"
#include "mcp/transport/streamable_http.hpp"

namespace gantry::gateway {

namespace {

/// Allowance for the envelope around a result of the largest permitted size.
constexpr std::size_t kEnvelopeBytes = 1u << 20;

/// Records that this transport was the one that worked.
class NotingTransport final : public mcp::Transport {
public:
    NotingTransport(std::unique_ptr<mcp::Transport> inner, std::shared_ptr<bool> used)
        : inner_(std::move(inner)), used_(std::move(used)) {}

    Task<Result<std::unique_ptr<mcp::Connection>>> connect(const Context& ctx) override {
        auto connection = co_await inner_->connect(ctx);
        if (connection) *used_ = true;
        co_return connection;
    }
    std::string describe() const override { return inner_->describe(); }

private:
    std::unique_ptr<mcp::Transport> inner_;
    std::shared_ptr<bool> used_;
};

/// Creates a transport for every connection, from the references' current values.
class ResolvingTransport final : public mcp::Transport {
public:
    using Make = std::function<Result<std::unique_ptr<mcp::Transport>>(const McpServerSpec&)>;
    ResolvingTransport(const McpServerSpec& spec, SecretResolver& secrets, Make make)
        : spec_(spec), secrets_(secrets), make_(std::move(make)) {}

    Task<Result<std::unique_ptr<mcp::Connection>>> connect(const Context& ctx) override {
        GANTRY_CO_TRY(const McpServerSpec spec, co_await secrets_.resolve(ctx, spec_));
        GANTRY_CO_TRY(const auto transport, make_(spec));
        co_return co_await transport->connect(ctx);
    }
    std::string describe() const override { return "server " + spec_.name; }

private:
    const McpServerSpec& spec_;
    SecretResolver& secrets_;
    Make make_;
};

mcp::EraChoice era_of(const McpServerSpec& spec) {
    // HTTP+SSE has no modern form, so there is nothing to probe.
    if (spec.transport == WireWish::kSse) return mcp::EraChoice::kLegacy;
    switch (spec.era) {
        case EraWish::kAuto: return mcp::EraChoice::kAuto;
        case EraWish::kLegacy: return mcp::EraChoice::kLegacy;
        case EraWish::kModern: return mcp::EraChoice::kModern;
    }
    return mcp::EraChoice::kAuto;
}

}  // namespace

Upstream::Upstream(Loop& loop, const McpServerSpec& spec, const McpSourceOptions& options)
    : loop_(loop),
      spec_(spec),
      options_(options),
      eras_(options.eras ? options.eras : std::make_shared<mcp::EraCache>()),
      guard_(options.egress) {}

Upstream::~Upstream() = default;

Result<std::unique_ptr<mcp::Client>> Upstream::make_client(mcp::ClientCapabilities declare,
                                                           mcp::SessionHandlers handlers, bool legacy) {
    GANTRY_TRY(mcp::Route route, make_route());
    wire_ = route.wire;
    mcp::ClientSettings settings;
    settings.self = options_.self;
    settings.handlers = std::move(handlers);
    settings.declare = std::move(declare);
    settings.era = legacy ? mcp::EraChoice::kLegacy : era_of(spec_);
    settings.era_cache = eras_;
    settings.connect_timeout = options_.connect_timeout.value_or(connect_limit(spec_));
    // A server that does not answer the probe still needs time for the legacy handshake.
    settings.probe_timeout = std::min(settings.probe_timeout, settings.connect_timeout / 2);
    settings.times = {.idle = spec_.timeout, .total = spec_.total_timeout};
    settings.hold_bytes = mcp::kHoldBytes;
    settings.unsent.bytes = spec_.max_queued_bytes;
    settings.unsent.stall = spec_.stall_timeout;
    // Whether a call runs as a task is the client's wish, sent with each call.
    settings.accept_tasks = false;
    return std::make_unique<mcp::Client>(std::move(route), std::move(settings));
}

Task<Result<bool>> Upstream::credentials_changed(const Context& ctx) {
    if (!options_.secrets || !used_) co_return false;
    GANTRY_CO_TRY(McpServerSpec now, co_await options_.secrets->resolve(ctx, spec_));
    const bool changed = std::exchange(mixed_, false) || !(now == *used_);
    used_ = std::move(now);
    co_return changed;
}

bool Upstream::attributes_requests() const noexcept {
    return wire_ == mcp::Wire::kHttp && !*fell_back_;
}

void Upstream::close() {
    if (http_) http_->close();
}

Result<mcp::Route> Upstream::make_route() {
    if (options_.route) return options_.route();
    return spec_.is_child() ? child_route() : url_route();
}

Result<std::unique_ptr<mcp::Transport>> Upstream::transport(TransportMaker make) {
    if (!options_.secrets) return (this->*make)(spec_);
    return std::make_unique<ResolvingTransport>(spec_, *options_.secrets, [this, make](const McpServerSpec& resolved) {
        mixed_ = mixed_ || (used_ && !(resolved == *used_));
        used_ = resolved;
        return (this->*make)(resolved);
    });
}

Result<std::unique_ptr<mcp::Transport>> Upstream::stdio_transport(const McpServerSpec& spec) {
    mcp::StdioConfig config{.command = spec.command,
                            .args = spec.args,
                            .env = {spec.env.begin(), spec.env.end()},
                            .cwd = spec.cwd,
                            .max_line_bytes = spec.max_result_bytes + kEnvelopeBytes,
                            .max_pending_bytes = spec.max_queued_bytes,
                            .strict_json = spec.strict_json,
                            .stall_timeout = spec.stall_timeout};
    config.stop.force = options_.force_stop;
    if (options_.on_stderr) {
        config.on_stderr = [tell = options_.on_stderr, name = spec.name](std::string_view line) { tell(name, line); };
    }
    if (options_.sandbox) {
        config.prepare = [sandbox = options_.sandbox, spec = spec](process::Command& command) {
            return sandbox->confine(spec, command);
        };
    }
    return std::make_unique<mcp::StdioTransport>(std::move(config));
}

http::ClientOptions Upstream::http_options() const {
    http::ClientOptions http;
    // How long a server may take is limited per call, not per connection.
    http.head_timeout = spec_.total_timeout;
    // Node and uvicorn close idle connections after five seconds; a request that races with that close is lost.
    http.keep_idle = seconds(4);
    return http;
}

mcp::HttpConfig Upstream::http_config(const McpServerSpec& spec, const Url& url) const {
    return {.url = url,
            .headers = spec.headers,
            .client = http_.get(),
            .authorization = authorization_.get(),
            .max_body_bytes = spec.max_result_bytes + kEnvelopeBytes,
            .max_event_bytes = spec.max_result_bytes + kEnvelopeBytes,
            .max_waiting_bytes = spec.max_queued_bytes,
            .strict_json = spec.strict_json};
}

Result<std::unique_ptr<mcp::Transport>> Upstream::streamable_transport(const McpServerSpec& spec) {
    GANTRY_TRY(const Url url, Url::parse(spec.url));
    return std::make_unique<mcp::StreamableHttpTransport>(
        mcp::StreamableHttpConfig{.http = http_config(spec, url), .force_close = options_.force_stop});
}

Result<std::unique_ptr<mcp::Transport>> Upstream::sse_transport(const McpServerSpec& spec) {
    GANTRY_TRY(const Url url, Url::parse(spec.url));
    return std::make_unique<mcp::HttpSseTransport>(mcp::HttpSseConfig{.http = http_config(spec, url)});
}

/// Connections with the same resolved specification share one child; one with other values starts its own, and the
/// earlier child ends with the last connection to it.
std::shared_ptr<mcp::SharedChild> Upstream::child_of(const McpServerSpec& spec) {
    if (child_ && child_spec_ == spec) return child_;
    mcp::ChildServerConfig config{.command = spec.command,
                                  .args = spec.args,
                                  .env = {spec.env.begin(), spec.env.end()},
                                  .cwd = spec.cwd,
                                  .path = endpoint_path(spec),
                                  .own_socket = !runs_container(spec),
                                  .http = http_options()};
    config.stop.force = options_.force_stop;
    if (!spec.ready_when.empty()) {
        config.says_ready = [pattern = "*" + spec.ready_when + "*"](std::string_view line) {
            return glob_match(pattern, line);
        };
    }
    if (options_.on_stderr) {
        config.on_output = [tell = options_.on_stderr, name = spec.name](std::string_view line) { tell(name, line); };
    }
    if (options_.on_problem) {
        config.on_warning = [tell = options_.on_problem, name = spec.name](const std::string& what) {
            tell(name, what);
        };
    }
    if (options_.sandbox) {
        config.prepare = [sandbox = options_.sandbox, spec = spec](process::Command& command) {
            return sandbox->confine(spec, command);
        };
    }
    child_spec_ = spec;
    return child_ = std::make_shared<mcp::SharedChild>(std::move(config));
}

Result<std::unique_ptr<mcp::Transport>> Upstream::http_child_transport(const McpServerSpec& spec) {
    auto make = [config = http_config(spec, {}), force = options_.force_stop, sse = spec.transport == WireWish::kSse](
                    http::Client& client, const Url& url) -> std::unique_ptr<mcp::Transport> {
        mcp::HttpConfig http = config;
        http.url = url;
        http.client = &client;
        if (!sse) {
            return std::make_unique<mcp::StreamableHttpTransport>(
                mcp::StreamableHttpConfig{.http = std::move(http), .force_close = force});
        }
        return std::make_unique<mcp::HttpSseTransport>(
            mcp::HttpSseConfig{.http = std::move(http), .any_endpoint_host = true});
    };
    return std::make_unique<mcp::ChildHttpTransport>(child_of(spec), std::move(make));
}

Result<mcp::Route> Upstream::http_child_route() {
    mcp::Route route;
    GANTRY_TRY(route.transport, transport(&Upstream::http_child_transport));
    // As for a URL: HTTP+SSE carries legacy revisions only and behaves like a pipe.
    route.wire = spec_.transport == WireWish::kSse ? mcp::Wire::kPipe : mcp::Wire::kHttp;
    route.identity = "http " + mcp::stdio_identity(spec_.cwd, spec_.command, spec_.args);
    return route;
}

Result<mcp::Route> Upstream::child_route() {
    if (spec_.is_http_child()) return http_child_route();
    mcp::Route route;
    GANTRY_TRY(route.transport, transport(&Upstream::stdio_transport));
    route.wire = mcp::Wire::kPipe;
    route.identity = mcp::stdio_identity(spec_.cwd, spec_.command, spec_.args);
    return route;
}

Result<mcp::Route> Upstream::url_route() {
    if (spec_.url.empty()) {
        return fail(ErrorCode::kInvalidArgument, "server '" + spec_.name + "' has neither a command nor a url");
    }
    if (!http_) {
        http_ = std::make_unique<http::Client>(loop_, guard_, http_options());
        if (options_.authorize) authorization_ = options_.authorize(spec_, *http_);
    }
    mcp::Route route;
    route.identity = mcp::http_identity(spec_.url);
    if (spec_.transport == WireWish::kSse) {
        GANTRY_TRY(route.transport, transport(&Upstream::sse_transport));
        // HTTP+SSE carries legacy revisions only and behaves like a pipe.
        route.wire = mcp::Wire::kPipe;
        return route;
    }
    route.wire = mcp::Wire::kHttp;
    GANTRY_TRY(route.transport, transport(&Upstream::streamable_transport));
    if (spec_.transport == WireWish::kAuto) {
        GANTRY_TRY(auto sse, transport(&Upstream::sse_transport));
        route.http_sse = std::make_unique<NotingTransport>(std::move(sse), fell_back_);
    }
    return route;
}

}  // namespace gantry::gateway
