#include "app/gateway/gateway_app.hpp"

#include <algorithm>
#include <cassert>
#include <set>

#include "app/gateway/approval_service.hpp"
#include "app/gateway/gateway_status.hpp"
#include "app/gateway/logging_observer.hpp"
#include "app/gateway/make_sandbox.hpp"
#include "app/gateway/observability.hpp"
#include "app/gateway/part_options.hpp"
#include "app/gateway/publishing_observer.hpp"
#include "app/gateway/rate_limited_note.hpp"
#include "app/gateway/redacted_notes.hpp"
#include "app/gateway/source_maker.hpp"
#include "app/process/listening_socket.hpp"
#include "auth/seal/sealer.hpp"
#include "base/try.hpp"
#include "gateway/pipeline/local_trust.hpp"
#include "gateway/pipeline/pipeline.hpp"
#include "gateway/registry/changeover.hpp"
#include "gateway/registry/pattern_warnings.hpp"
#include "gateway/registry/refresh.hpp"
#include "gateway/registry/registry.hpp"
#include "gateway/secrets/resolver.hpp"
#include "gateway/sources/mcp/start_limiter.hpp"
#include "gateway/state/inventory_files.hpp"
#include "gateway/state/revoked_sessions.hpp"
#include "gateway/state/state_folder.hpp"
#include "gateway/state/tool_pins.hpp"
#include "io/http/server.hpp"
#include "io/loop.hpp"
#include "io/pinned_folder.hpp"
#include "io/private_file.hpp"
#include "io/scope.hpp"
#include "io/sync.hpp"
#include "io/worker.hpp"
#include "mcp/client/era_cache.hpp"
#include "mcp/server/http_endpoint.hpp"
#include "mcp/server/stdio_endpoint.hpp"
#include "surface/mcp/gateway_backend.hpp"
#include "surface/mcp/routes.hpp"

namespace gantry::app {
namespace {

/// How long new servers may take to connect before the configuration is swapped without them. Each server has a limit
/// of its own; this one is for many servers that take turns on a busy machine, whose tools would otherwise be missing
/// for a moment.
constexpr Duration kWarmUp = seconds(60);
/// Grace period for calls in flight at servers of an earlier configuration.
constexpr Duration kDrain = std::chrono::minutes(10);

/// For this long after startup, lists and the operator's first line wait for servers that are still starting.
constexpr Duration kFirstLists = seconds(10);

Task<void> end_listener(std::unique_ptr<http::Server> server, Context grace) {
    co_await server->stop(std::move(grace));
}

Task<void> stop_sources(gateway::Registry& registry) {
    co_await registry.stop();
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
          notes_(in_known_names(redacted(std::move(notes)))),
          secrets_(std::make_shared<gateway::ChainResolver>(config_.secrets, *notes_.redactor)),
          watching_(loop, config_.events,
                    {.note = notes_.note,
                     .read = [this] { return readings(); },
                     .log = notes_.log,
                     .redactor = notes_.redactor.get()}),
          observer_([this](std::string_view server, std::string_view text) { note_about(server, text); }),
          publisher_(watching_),
          gates_(gate_options(config_, observers_)),
          pins_(pin_options()),
          revoked_({.note = notes_.note}) {
        observers_.add(observer_);
        observers_.add(publisher_);
    }

    Result<void> start() {
        auto started = open_and_start();
        if (started) return started;
        return fail(Error(started.error().code(), state_.shown(started.error().message())));
    }

    Result<void> open_and_start() {
        GANTRY_CHECK(open_state());
        GANTRY_TRY(sealer_, open_sealer());
        GANTRY_TRY(gateway::NameBook names, open_names());
        GANTRY_CHECK(watching_.start(state_dir_));
        GANTRY_CHECK(pins_.open(state_dir_));
        GANTRY_CHECK(logins_.open(state_dir_));
        maker_.emplace(loop_, source_options());
        const SourceMaker::Made made = maker_->make(config_);
        maker_->keep(config_, made);
        registry_.emplace(made.all, registry_options(std::move(names)));
        GANTRY_CHECK(approvals_.open(config_, state_dir_));
        pipeline_.emplace(gateway::PipelineParts{.authenticator = trust_,
                                                 .sealer = *sealer_,
                                                 .recorder = watching_.recorder(),
                                                 .events = &watching_.events(),
                                                 .gates = &gates_,
                                                 .approver = &approvals_.approvals()},
                          gateway::PipelineOptions{});
        gateway_.emplace(surface::Gateway{.registry = *registry_,
                                          .pipeline = *pipeline_,
                                          .self = self(),
                                          .settle = kFirstLists,
                                          .began = began_,
                                          .redactor = notes_.redactor.get()});
        endpoint_.emplace(with_host_notes(endpoint_options(config_, revoked_)), *sealer_);
        routes_.emplace(*gateway_, *endpoint_,
                        surface::RouteOptions{.path = config_.path, .failing = [this](const std::string& server) {
                                                  return gates_.failing(server);
                                              }});
        for (auto& [path, handler] : watching_.routes()) routes_->add(path, std::move(handler));
        routes_->add_below("approvals", approvals_.answers());
        for (const std::string& warning : config_.warnings) note(warning);
        registry_->start();
        return {};
    }

    Result<void> listen() {
        GANTRY_CHECK(revoked_.open(state_dir_));
        GANTRY_TRY(listener_, open_listener(loop_, config_, handler(), refuse_own_servers()));
        routes_->set_accepting(true);
        return {};
    }

    Task<Result<ReloadPlan>> reload(const Context& ctx, Config next) {
        GANTRY_CO_TRY(const auto turn, co_await changing_.lock(ctx));
        const ReloadPlan plan = plan_reload(config_, next);
        GANTRY_CO_CHECK(co_await change_over(ctx, std::move(next)));
        for (const std::string& warning : warnings()) note(warning);
        config_since_ = SteadyClock::now();
        watching_.events().publish(
            {.type = gateway::event_type::kConfigurationApplied,
             .subject = "configuration",
             .data = {
                 {"added", plan.added.size()}, {"changed", plan.changed.size()}, {"removed", plan.removed.size()}}});
        co_return plan;
    }

    Task<Result<void>> restart(const Context& ctx, std::string server) {
        GANTRY_CO_TRY(const auto turn, co_await changing_.lock(ctx));
        if (std::ranges::find(config_.servers, server, &gateway::McpServerSpec::name) == config_.servers.end()) {
            co_return fail(ErrorCode::kNotFound, "there is no server '" + server + "'; gantry status lists them");
        }
        maker_->forget(server);
        GANTRY_CO_CHECK(co_await change_over(ctx, config_));
        // Failures of the old connection say nothing about the new one. Fails only if no call has used the gate yet.
        static_cast<void>(gates_.reset(server));
        co_return Result<void>();
    }

    Task<Result<void>> log_in(const Context& ctx, std::string server, gateway::LoginRequest wish,
                              std::function<void(const std::string& url)> show) {
        const auto found = std::ranges::find(config_.servers, server, &gateway::McpServerSpec::name);
        if (found == config_.servers.end()) {
            co_return fail(ErrorCode::kNotFound, "there is no server '" + server + "'; gantry status lists them");
        }
        if (found->url.contains("${")) {
            co_return fail(ErrorCode::kInvalidArgument,
                           "the URL of server '" + server + "' has references; a login needs one without");
        }
        GANTRY_CO_CHECK(co_await logins_.log_in(ctx, *found, std::move(wish), std::move(show)));
        co_return co_await restart(ctx, std::move(server));
    }

    /// Serialized: one change at a time.
    Task<Result<void>> change_over(const Context& ctx, Config next) {
        GANTRY_CO_TRY(const auto watching, watching_.prepare(next.events));
        ListeningSocket listener;
        if (listener_.server && next.listen != config_.listen) {
            GANTRY_CO_TRY(listener, open_listener(loop_, next, handler(), refuse_own_servers()));
        }
        const SourceMaker::Made made = maker_->make(next);
        secrets_->configure(next.secrets);  // new servers connect with them
        sandbox_->set_places(places_of(next, state_.name()));
        pins_.quarantine(quarantined(next));
        co_await gateway::warm_up(ctx, made.fresh, kWarmUp);
        auto ready =
            co_await registry_->prepare(ctx, {.sources = made.all,
                                              .groups = next.groups,
                                              .rules = catalog_rules(next),
                                              .settings = call_settings(next, watching_.tracer_after(*watching))});
        if (!ready) {
            secrets_->configure(config_.secrets);
            sandbox_->set_places(places_of(config_, state_.name()));
            pins_.quarantine(quarantined(config_));
            for (const auto& source : made.fresh) retiring_.spawn(gateway::retire(retiring_.context(), source, {}));
            if (listener.server)
                leaving_.spawn(end_listener(std::move(listener.server), leaving_.context().within({})));
            co_return fail(ready.error());
        }
        // No suspension from here on: a call sees either the old state of everything or the new one.
        for (auto& gone : registry_->commit(*std::move(ready))) {
            retiring_.spawn(gateway::retire(retiring_.context(), std::move(gone), kDrain));
        }
        gates_.configure(gate_options(next, observers_));
        approvals_.configure(next);
        maker_->keep(next, made);
        endpoint_->configure(endpoint_options(next, revoked_));
        routes_->set_path(next.path);
        retiring_.spawn(watching_.apply(watching));
        if (listener.server) {
            std::swap(listener_, listener);
            leaving_.spawn(end_listener(std::move(listener.server), leaving_.context().within(kDrain)));
        } else if (listener_.server) {
            listener_.server->set_max_connections(next.max_connections);
            listener_.server->set_max_unfinished_bytes(next.max_unfinished_request_bytes);
        }
        config_ = std::move(next);
        co_return Result<void>();
    }

    http::Handler event_feed() { return watching_.feed(); }
    Observability& watching() noexcept { return watching_; }

    Json status() const {
        return gateway_status(
            {.registry = *registry_,
             .gates = gates_,
             .endpoint = *endpoint_,
             .stats = watching_.stats(),
             .costly = pipeline_->costly_checks(),
             .url = listener_.server ? url() : std::string(),
             .config = config_.file.empty() ? std::string() : std::filesystem::absolute(config_.file).string(),
             .up = SteadyClock::now() - began_,
             .config_age = SteadyClock::now() - config_since_,
             .waiting = waiting_,
             .redactor = *notes_.redactor,
             .warnings = warnings()});
    }

    /// Warnings of the configuration itself, and of patterns that match nothing at present.
    std::vector<std::string> warnings() const {
        std::vector<std::string> all = config_.warnings;
        for (std::string& one : gateway::pattern_warnings(*registry_, config_.groups)) all.push_back(std::move(one));
        return all;
    }

    void configuration_waits(std::string why) {
        if (const std::string writer = why.empty() ? "" : may_write_configuration(); !writer.empty())
            why += "; the server " + writer + " may write its folder";
        if (why == waiting_) return;
        waiting_ = why;
        if (why.empty()) return;
        note("a change of the configuration waits for gantry reload: " + why);
        watching_.events().publish({.type = gateway::event_type::kConfigurationRefused,
                                    .subject = "configuration",
                                    .data = {{"reason", why}}});
    }

    std::string may_write_configuration() const {
        if (!sandbox_ || !config_.secrets.files) return {};
        for (const std::string& folder : config_.secrets.files->folders())
            if (std::string server = sandbox_->guard()->writer_of(folder); !server.empty()) return server;
        return {};
    }

    const std::filesystem::path& state_dir_in_use() const noexcept { return state_dir_; }

    std::string url() const {
        assert(listener_.server);
        return "http://" + listener_.address.authority(listener_.server->port()) + config_.path;
    }

    Task<Result<void>> serve(const Context& ctx, Stream& stream) {
        surface::GatewayBackend backend(*gateway_, "");
        backend.complete_handshakes();
        co_return co_await mcp::serve_lines(
            Context::background().stopped_by(force_), stream, stream, backend,
            {.max_line_bytes = config_.max_request_bytes, .finish = ctx.cancel(), .on_last = [this] { begin_stop(); }},
            stop_timeout());
    }

    Task<void> settled(const Context& ctx) {
        auto waited = co_await registry_->settled(ctx.until(Deadline::after(kFirstLists, began_)));
        static_cast<void>(waited);
    }

    Task<Result<void>> require(const Context& ctx) { return registry_->require(ctx); }
    gateway::Approvals& approvals() { return approvals_.approvals(); }
    gateway::Gates& gates() { return gates_; }
    std::vector<gateway::PinBook::Place> changed_tools() const { return pins_.changed(); }
    Result<void> accept_tool(const std::string& server, const std::string& tool) {
        GANTRY_CHECK(pins_.accept(server, tool));
        registry_->refresh();
        return {};
    }

    Task<Result<Json>> refresh(const Context& ctx, std::string server) {
        return gateway::refresh_lists(ctx, *registry_, *notes_.redactor, std::move(server));
    }

    std::string summary() const {
        const auto& catalog = *registry_->catalog();
        const auto count = [](std::size_t number, const char* what) {
            return std::to_string(number) + " " + what + (number == 1 ? "" : "s");
        };
        std::string text = count(catalog.size(gateway::ItemKind::kTool, ""), "tool") + " of " +
                           count(registry_->sources().size(), "server");
        for (const auto& entry : registry_->sources()) {
            const std::string trouble = entry.source->trouble();
            if (!trouble.empty() && entry.source->state() != gateway::SourceState::kAsleep)
                text.append("\n  ").append(entry.source->name()).append(" is down: ").append(trouble);
        }
        for (const std::string& warning : gateway::pattern_warnings(*registry_, config_.groups))
            text.append("\n  warning: ").append(warning);
        return notes_.redactor->masked(std::move(text));
    }

    Duration stop_timeout() const noexcept { return config_.stop_timeout; }

    void begin_stop() {
        if (force_.cancelled() || grace_timer_.armed()) return;
        grace_timer_.arm(
            loop_, Deadline::after(config_.stop_timeout), [](void* self) { static_cast<Impl*>(self)->force_stop(); },
            this);
    }

    void force_stop() {
        grace_timer_.disarm();
        force_.cancel();
    }

    /// May be called after a start() that failed halfway.
    Task<void> stop() {
        begin_stop();
        const Context grace = Context::background().stopped_by(force_);
        if (routes_) routes_->set_accepting(false);
        if (endpoint_) endpoint_->drain();
        follow_pins(false);
        watching_.hang_up();
        if (listener_.server) co_await listener_.server->stop(grace);
        co_await leaving_.join();
        if (endpoint_) co_await endpoint_->close(grace);
        // No calls are left, so servers of earlier configurations are stopped at once too.
        retiring_.cancel();
        if (registry_) retiring_.spawn(stop_sources(*registry_));
        co_await retiring_.join();
        co_await approvals_.stop();
        co_await watching_.stop(grace);
        listener_.server.reset();
        routes_.reset();
        endpoint_.reset();
        pipeline_.reset();
        registry_.reset();
        grace_timer_.disarm();
    }

private:
    void note(std::string_view text) const {
        if (notes_.note) notes_.note(text);
    }
    void note_about(std::string_view server, std::string_view text) const {
        if (notes_.server_note && !server.empty()) return notes_.server_note(server, text);
        note(text);
    }

    mcp::HttpEndpointOptions with_host_notes(mcp::HttpEndpointOptions options) {
        options.on_refused_host = [this](std::string_view host) {
            constexpr std::size_t kLongest = 100;
            refused_hosts_("a request for host '" + std::string(host.substr(0, kLongest)) +
                           "' was refused; if that is a name of this gateway, list it in allowed_hosts");
        };
        return options;
    }

    gateway::events::Readings readings() const {
        gateway::events::Readings now{.calls_in_flight = pipeline_->running(),
                                      .tools = registry_->catalog()->size(gateway::ItemKind::kTool, ""),
                                      .sessions = endpoint_->counts().sessions};
        for (const auto& entry : registry_->sources())
            now.sources.emplace_back(entry.source->name(), gateway::to_string(entry.source->state()));
        return now;
    }

    /// Pins the folder as it is now, whatever happens to its name later.
    Result<void> open_state() {
        GANTRY_TRY(const std::filesystem::path folder, state_dir());
        GANTRY_CHECK(gateway::prepare_state_folder(folder));
        GANTRY_TRY(state_, PinnedFolder::open(folder));
        state_dir_ = state_.path();
        return {};
    }

    /// Messages name the folder by the path the operator knows.
    Notes in_known_names(Notes notes) {
        if (notes.note) {
            notes.note = [this, tell = std::move(notes.note)](std::string_view text) {
                tell(state_.shown(std::string(text)));
            };
        }
        return notes;
    }

    /// Watched files are trusted only where no isolated server can write.
    void follow_pins(bool follow) {
        const auto& files = config_.secrets.files;
        if (!files) return;
        if (!follow) {
            files->report_to({});
            files->guard_by({});
            return;
        }
        files->guard_by(
            [guard = sandbox_->guard()](const std::string& folder) { return guard->writer_of(folder).empty(); });
        files->report_to([this, alive = std::weak_ptr(alive_), &loop = loop_](const std::string& strayed) {
            loop.post([this, alive, strayed] {
                if (!alive.expired()) configuration_waits(strayed);
            });
        });
    }

    Result<auth::Sealer> open_sealer() {
        auto sealer = auth::Sealer::from_folder(state_dir_);
        if (!sealer && sealer.error().code() == ErrorCode::kParse)
            return fail(gateway::damaged_file(
                state_dir_ / "seal.keys", sealer.error(),
                "sessions, task ids and unfinished questions that clients hold are then invalid"));
        return sealer;
    }

    Result<std::filesystem::path> state_dir() const {
        if (config_.state_dir.empty()) return gateway::default_state_folder();
        return std::filesystem::path(config_.state_dir);
    }

    Result<gateway::NameBook> open_names() const { return gateway::load_names(state_dir_); }

    http::Handler handler() {
        return [this](const Context& ctx, http::Exchange& exchange) { return route(ctx, exchange, *routes_); };
    }

    /// Isolated servers must not call each other's tools through the gateway.
    std::function<std::string(const net::TcpStream&)> refuse_own_servers() {
        return [this, callers = sandbox_->callers()](const net::TcpStream& stream) {
            std::string who = callers->refuse(stream);
            if (callers->blind() && refused_callers_.insert("").second)
                note(
                    "this kernel does not say whose a connection is (it lacks inet_diag): isolated servers can call "
                    "this gateway");
            if (!who.empty() && refused_callers_.insert(who).second)
                note("a connection of " + who +
                     " was refused; isolation.gateway: true lets a server call this gateway");
            return who;
        };
    }

    gateway::RegistryOptions registry_options(gateway::NameBook names) {
        return {.groups = config_.groups,
                .rules = catalog_rules(config_),
                .settle = config_.ready_timeout,
                .settings = call_settings(config_, watching_.tracer()),
                .building = {.names = std::move(names),
                             .save_names = [this](const gateway::NameBook& book) { keep_names(book); },
                             .inspect =
                                 [this](const std::string& source, gateway::InventoryPtr offered) {
                                     return pins_.inspect(source, std::move(offered));
                                 },
                             .worker = std::make_unique<Worker>(Worker::Priority::kLow)},
                .on_problem =
                    [this](const gateway::CatalogProblem& problem) {
                        // Problems without a source are about groups, and the configuration warns of those too.
                        if (!problem.source.empty()) note_about(problem.source, problem.source + ": " + problem.what);
                    },
                .events = &watching_.events()};
    }

    /// For work done on another thread: `act` runs on the loop, unless the gateway is gone by then.
    void on_loop(std::move_only_function<void()> act) {
        loop_.post([alive = std::weak_ptr(alive_), act = std::move(act)]() mutable {
            if (!alive.expired()) act();
        });
    }

    void keep_names(const gateway::NameBook& book) {
        if (auto saved = save_names(state_dir_, book); !saved)
            on_loop([this, why = saved.error().message()] { note("names could not be saved: " + why); });
    }

    gateway::McpSourceOptions source_options() {
        gateway::McpSourceOptions options{.self = self(),
                                          .starts = std::make_shared<gateway::StartLimiter>(),
                                          .eras = std::make_shared<mcp::EraCache>(),
                                          .secrets = secrets_};
        options.on_problem = [this](const std::string& source, const std::string& what) {
            note_about(source, source + ": " + what);
        };
        options.on_stderr = notes_.server_stderr;
        options.max_list_entries = config_.max_list_entries;
        options.list_reader = std::make_shared<Worker>(Worker::Priority::kLow);
        options.force_stop = force_.token();
        options.authorize = [this](const gateway::McpServerSpec& spec, http::Client& client) {
            return logins_.authorization(spec, client);
        };
        options.lists = std::make_shared<gateway::InventoryFiles>(state_dir_ / "lists",
                                                                  [this](std::string_view text) { note(text); });
        sandbox_ =
            make_sandbox(places_of(config_, state_.name()), [this] { return state_.check(); }, options.on_problem);
        options.sandbox = sandbox_;
        follow_pins(true);
        return options;
    }

    gateway::ToolPins::Options pin_options() {
        return {.quarantine = quarantined(config_),
                .flagged =
                    [this](const std::string& source, const std::string& tool, const std::string& what, bool hidden) {
                        on_loop([this, source, tool, what, hidden] {
                            observers_.tool_descriptor_flagged(
                                {.source = source, .tool = tool, .what = what, .quarantined = hidden});
                        });
                    },
                .note = [this](std::string_view text) { on_loop([this, text = std::string(text)] { note(text); }); }};
    }

    Loop& loop_;
    Config config_;
    PinnedFolder state_;
    const std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
    Notes notes_;
    RateLimitedNote refused_hosts_{[this](std::string_view text) { note(text); }, std::chrono::minutes(1)};
    std::shared_ptr<gateway::ChainResolver> secrets_;
    std::filesystem::path state_dir_;  // of state_
    std::shared_ptr<gateway::sandbox::LocalSandbox> sandbox_;
    std::set<std::string> refused_callers_;  // each reported once
    std::string waiting_;                    // why a configuration change is not in force
    Observability watching_;
    LoggingObserver observer_;
    PublishingObserver publisher_;
    gateway::Observers observers_;
    gateway::Gates gates_;
    gateway::ToolPins pins_;
    gateway::UpstreamLogins logins_{loop_, self()};
    gateway::LocalTrust trust_;
    gateway::RevokedSessions revoked_;
    std::optional<auth::Sealer> sealer_;
    std::optional<SourceMaker> maker_;
    std::optional<gateway::Registry> registry_;
    ApprovalService approvals_{loop_, observers_, [this](std::string_view text) { note(text); }};
    std::optional<gateway::Pipeline> pipeline_;
    std::optional<surface::Gateway> gateway_;
    std::optional<mcp::HttpEndpoint> endpoint_;
    std::optional<surface::Routes> routes_;
    ListeningSocket listener_;
    const TimePoint began_ = SteadyClock::now();
    TimePoint config_since_ = began_;
    AsyncMutex changing_;      // serializes changes of the configuration and of connections
    CancelSource force_;       // ends the shutdown's grace period
    Loop::Alarm grace_timer_;  // fires when the grace period is over
    // Retired listeners that still have calls, and servers of earlier configurations.
    Scope leaving_{Context::background().stopped_by(force_)};
    Scope retiring_{Context::background()};
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
gateway::Approvals& GatewayApp::approvals() {
    return impl_->approvals();
}
std::vector<gateway::PinBook::Place> GatewayApp::changed_tools() const {
    return impl_->changed_tools();
}
Result<void> GatewayApp::accept_tool(const std::string& server, const std::string& tool) {
    return impl_->accept_tool(server, tool);
}
Task<Result<Json>> GatewayApp::refresh(const Context& ctx, std::string server) {
    return impl_->refresh(ctx, std::move(server));
}
Task<Result<void>> GatewayApp::restart(const Context& ctx, std::string server) {
    return impl_->restart(ctx, std::move(server));
}
Task<Result<void>> GatewayApp::log_in(const Context& ctx, std::string server, gateway::LoginRequest wish,
                                      std::function<void(const std::string& url)> show) {
    return impl_->log_in(ctx, std::move(server), std::move(wish), std::move(show));
}
gateway::Gates& GatewayApp::gates() {
    return impl_->gates();
}
Task<Result<void>> GatewayApp::require(const Context& ctx) {
    return impl_->require(ctx);
}
std::string GatewayApp::summary() const {
    return impl_->summary();
}
Task<Result<ReloadPlan>> GatewayApp::reload(const Context& ctx, Config next) {
    return impl_->reload(ctx, std::move(next));
}
http::Handler GatewayApp::event_feed() {
    return impl_->event_feed();
}
Observability& GatewayApp::watching() {
    return impl_->watching();
}
void GatewayApp::configuration_waits(const std::string& why) {
    impl_->configuration_waits(why);
}
std::string GatewayApp::may_write_configuration() const {
    return impl_->may_write_configuration();
}
Json GatewayApp::status() const {
    return impl_->status();
}
const std::filesystem::path& GatewayApp::state_dir() const {
    return impl_->state_dir_in_use();
}
Duration GatewayApp::stop_timeout() const {
    return impl_->stop_timeout();
}
void GatewayApp::begin_stop() {
    impl_->begin_stop();
}
void GatewayApp::force_stop() {
    impl_->force_stop();
}
Task<void> GatewayApp::stop() {
    return impl_->stop();
}

}  // namespace gantry::app
