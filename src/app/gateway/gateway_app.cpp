#include "app/gateway/gateway_app.hpp"

#include <cassert>
#include <limits>

#include "app/gateway/call_log.hpp"
#include "app/gateway/listen_address.hpp"
#include "app/gateway/revoked_sessions.hpp"
#include "app/gateway/state_dir.hpp"
#include "app/gateway/static_rules.hpp"
#include "auth/seal/sealer.hpp"
#include "base/try.hpp"
#include "base/version.hpp"
#include "gateway/pipeline/local_trust.hpp"
#include "gateway/pipeline/pipeline.hpp"
#include "gateway/registry/registry.hpp"
#include "gateway/sources/builtin/builtin_source.hpp"
#include "gateway/sources/mcp/source.hpp"
#include "gateway/sources/mcp/start_limiter.hpp"
#include "io/http/server.hpp"
#include "io/loop.hpp"
#include "mcp/client/era_cache.hpp"
#include "mcp/server/http_endpoint.hpp"
#include "mcp/server/stdio_endpoint.hpp"
#include "surface/mcp/gateway_backend.hpp"
#include "surface/mcp/routes.hpp"

namespace gantry::app {
namespace {

const mcp::Implementation& self() {
    static const mcp::Implementation value{.name = "gantry", .version = std::string(kVersion)};
    return value;
}

gateway::StaticPolicy rules_of(const std::vector<gateway::McpServerSpec>& servers) {
    std::map<std::string, gateway::Rules, std::less<>> rules;
    for (const auto& server : servers) {
        if (!server.allow.empty() || !server.deny.empty())
            rules.emplace(server.name, gateway::Rules{.allow = server.allow, .deny = server.deny});
    }
    return gateway::StaticPolicy(std::move(rules));
}

Task<void> route(const Context& ctx, http::Exchange& exchange, surface::Routes& routes) {
    return routes.handle(ctx, exchange);
}

}  // namespace

class GatewayApp::Impl {
public:
    Impl(Loop& loop, Config config, Notes notes)
        : loop_(loop),
          config_(std::move(config)),
          notes_(std::move(notes)),
          log_(notes_.call),
          policy_(rules_of(config_.servers)),
          revoked_({.note = notes_.note}) {}

    Result<void> start() {
        GANTRY_TRY(sealer_, open_sealer());
        GANTRY_TRY(gateway::NameBook names, open_names());
        registry_.emplace(make_sources(), registry_options(std::move(names)));
        pipeline_.emplace(
            gateway::PipelineParts{.authenticator = trust_,
                                   .catalog = [this] { return registry_->catalog(); },
                                   .find_source = [this](std::string_view name) { return registry_->find(name); },
                                   .policy = policy_,
                                   .sealer = *sealer_,
                                   .recorder = log_},
            gateway::PipelineOptions{.guard = {.validate_arguments = config_.validate_arguments}});
        gateway_.emplace(surface::Gateway{.registry = *registry_, .pipeline = *pipeline_, .self = self()});
        endpoint_.emplace(endpoint_options(), *sealer_);
        routes_.emplace(*gateway_, *endpoint_, surface::RouteOptions{.path = config_.path});
        for (const std::string& warning : config_.warnings) note(warning);
        registry_->start();
        return {};
    }

    Result<void> listen() {
        GANTRY_TRY(address_, parse_listen(config_.listen));
        if (!address_.is_loopback() && !config_.allow_unauthenticated) {
            return fail(ErrorCode::kDenied,
                        "listen: " + config_.listen +
                            " can be reached from other machines, and nobody who calls is authenticated; listen on "
                            "127.0.0.1, or set allow_unauthenticated: true if this network is trusted");
        }
        GANTRY_CHECK(revoked_.open(state_dir_));
        server_ = std::make_unique<http::Server>(
            loop_,
            http::ServerOptions{.host = address_.host,
                                .port = address_.port,
                                // The endpoint has its own limit and refuses in the order of the protocol, as JSON-RPC.
                                .max_body_bytes = std::numeric_limits<std::size_t>::max(),
                                .max_connections = config_.max_connections},
            [this](const Context& ctx, http::Exchange& exchange) { return route(ctx, exchange, *routes_); });
        if (auto started = server_->start(); !started) {
            server_.reset();
            return fail(started.error().within("cannot listen on " + config_.listen));
        }
        routes_->set_ready(true);
        return {};
    }

    std::string url() const {
        assert(server_);
        return "http://" + address_.authority(server_->port()) + config_.path;
    }

    Task<Result<void>> serve(const Context& ctx, Stream& stream) {
        surface::GatewayBackend backend(*gateway_, "");
        co_return co_await mcp::serve_lines(ctx, stream, stream, backend,
                                            {.max_line_bytes = config_.max_request_bytes});
    }

    Task<void> settled(const Context& ctx) {
        auto waited = co_await registry_->settled(ctx);
        static_cast<void>(waited);
    }

    std::string summary() const {
        const auto& catalog = *registry_->catalog();
        std::string text = std::to_string(catalog.size(gateway::ItemKind::kTool, "")) + " tools of " +
                           std::to_string(registry_->sources().size()) + " servers";
        for (const auto& entry : registry_->sources()) {
            const std::string trouble = entry.source->trouble();
            if (!trouble.empty()) text.append("\n  ").append(entry.source->name()).append(" is down: ").append(trouble);
        }
        return text;
    }

    Task<void> stop(Duration grace) {
        if (!registry_) co_return;
        const TimePoint began = SteadyClock::now();
        routes_->set_ready(false);
        endpoint_->drain();
        if (server_) co_await server_->stop(grace);
        const Duration left = grace - (SteadyClock::now() - began);
        co_await endpoint_->close(std::max(left, Duration(milliseconds(100))));
        co_await registry_->stop();
        server_.reset();
        routes_.reset();
        endpoint_.reset();
        pipeline_.reset();
        registry_.reset();
    }

private:
    void note(std::string_view text) const {
        if (notes_.note) notes_.note(text);
    }

    Result<auth::Sealer> open_sealer() {
        GANTRY_TRY(state_dir_, state_dir());
        return auth::Sealer::from_folder(state_dir_);
    }

    Result<std::filesystem::path> state_dir() const {
        if (config_.state_dir.empty()) return default_state_dir();
        return std::filesystem::path(config_.state_dir);
    }

    Result<gateway::NameBook> open_names() const { return load_names(state_dir_); }

    gateway::RegistryOptions registry_options(gateway::NameBook names) {
        return {.groups = config_.groups,
                .rules = {.on_collision = config_.on_collision,
                          .page_size = config_.list_page_size,
                          .max_items = config_.max_tools == 0 ? gateway::CatalogRules().max_items : config_.max_tools,
                          .self = self(),
                          .instructions = config_.instructions},
                .names = std::move(names),
                .save_names =
                    [this](const gateway::NameBook& book) {
                        if (auto saved = save_names(state_dir_, book); !saved)
                            note("names could not be saved: " + saved.error().message());
                    },
                .on_problem =
                    [this](const gateway::CatalogProblem& problem) { note(problem.source + ": " + problem.what); }};
    }

    std::vector<gateway::Registered> make_sources() {
        std::vector<gateway::Registered> sources;
        gateway::McpSourceOptions options{.self = self(),
                                          .starts = std::make_shared<gateway::StartLimiter>(),
                                          .eras = std::make_shared<mcp::EraCache>()};
        options.on_problem = [this](const std::string& source, const std::string& what) { note(source + ": " + what); };
        options.on_stderr = notes_.server_stderr;
        if (config_.demo_tools) {
            sources.push_back(
                {.source = std::make_shared<gateway::BuiltinSource>("demo", gateway::demo_tools()), .prefix = "demo"});
        }
        for (const auto& configured : config_.servers) {
            auto spec = expand(configured);
            if (!spec) {
                note(configured.name + " is left out: " + spec.error().message());
                continue;
            }
            sources.push_back({.source = std::make_shared<gateway::McpSource>(loop_, *spec, options),
                               .prefix = spec->prefix.value_or(spec->name),
                               .allow = spec->allow,
                               .deny = spec->deny});
        }
        return sources;
    }

    mcp::HttpEndpointOptions endpoint_options() {
        return {.stateless = config_.stateless,
                .json_only = config_.json_response,
                .allowed_hosts = config_.allowed_hosts,
                .allowed_origins = config_.allowed_origins,
                .max_body_bytes = config_.max_request_bytes,
                .revocations = &revoked_};
    }

    Loop& loop_;
    Config config_;
    Notes notes_;
    std::filesystem::path state_dir_;
    ListenAddress address_;
    CallLog log_;
    StaticRules policy_;
    gateway::LocalTrust trust_;
    RevokedSessions revoked_;
    std::optional<auth::Sealer> sealer_;
    std::optional<gateway::Registry> registry_;
    std::optional<gateway::Pipeline> pipeline_;
    std::optional<surface::Gateway> gateway_;
    std::optional<mcp::HttpEndpoint> endpoint_;
    std::optional<surface::Routes> routes_;
    std::unique_ptr<http::Server> server_;
};

GatewayApp::GatewayApp(Loop& loop, Config config, Notes notes)
    : impl_(std::make_unique<Impl>(loop, std::move(config), std::move(notes))) {}
GatewayApp::~GatewayApp() = default;

Result<void> GatewayApp::start() {
    return impl_->start();
}
Result<void> GatewayApp::listen() {
    return impl_->listen();
}
std::string GatewayApp::url() const {
    return impl_->url();
}
Task<Result<void>> GatewayApp::serve(const Context& ctx, Stream& stream) {
    return impl_->serve(ctx, stream);
}
Task<void> GatewayApp::settled(const Context& ctx) {
    return impl_->settled(ctx);
}
std::string GatewayApp::summary() const {
    return impl_->summary();
}
Task<void> GatewayApp::stop(Duration grace) {
    return impl_->stop(grace);
}

}  // namespace gantry::app
