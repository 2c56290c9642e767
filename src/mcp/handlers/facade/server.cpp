#include "gantry/server.hpp"

#include <array>
#include <condition_variable>
#include <csignal>

#include "auth/seal/sealer.hpp"
#include "io/http/server.hpp"
#include "io/process/standard_streams.hpp"
#include "io/signals.hpp"
#include "mcp/handlers/facade/bridge.hpp"
#include "mcp/handlers/facade/mount_entry.hpp"
#include "mcp/server/http_endpoint.hpp"
#include "mcp/server/stdio_endpoint.hpp"

namespace gantry {
namespace {

mcp::ServerOptions options_of(const ServerSettings& settings) {
    mcp::ServerOptions options;
    options.instructions = settings.instructions;
    options.max_tools = settings.max_tools;
    options.call_timeout = settings.call_timeout;
    options.ttl = settings.list_ttl;
    // Things may be added after clients have connected.
    options.declare_tools = options.declare_prompts = options.declare_resources = true;
    return options;
}

mcp::Implementation named(std::string name, std::string version) {
    mcp::Implementation self;
    self.name = std::move(name);
    self.version = std::move(version);
    return self;
}

auth::Sealer make_sealer() {
    auto made = auth::Sealer::ephemeral();
    if (!made) std::terminate();  // the system's random generator failed
    return *std::move(made);
}

bool is_loopback(std::string_view host) {
    return host == "localhost" || host == "::1" || host == "[::1]" || host.starts_with("127.");
}

Task<void> route(const Context& ctx, http::Exchange& exchange, mcp::HttpEndpoint& endpoint, mcp::Server& server,
                 const std::string& path) {
    const std::string_view target = exchange.target();
    if (target.substr(0, target.find('?')) == path) co_return co_await endpoint.handle(ctx, exchange, server, path);
    if (co_await endpoint.refuse_host_or_origin(ctx, exchange)) co_return;
    static_cast<void>(co_await exchange.respond(ctx, 404, {{"Content-Type", "text/plain"}}, "not found\n"));
}

}  // namespace

class Server::Impl {
public:
    Impl(std::string name, std::string version, const ServerSettings& settings)
        : max_calls(settings.max_calls),
          sealer(make_sealer()),
          server(named(std::move(name), std::move(version)), options_of(settings), &sealer) {}

    const std::size_t max_calls;
    auth::Sealer sealer;
    Loop loop;
    mcp::Server server;
    Event stopping;
    Scope* signals = nullptr;  // where wait() may spawn a signal watch
    Duration grace = seconds(2);
    const std::shared_ptr<detail::Gate> gate = std::make_shared<detail::Gate>();
    std::optional<Duration> stop_early;  // guarded by gate->mutex: stop() was called while there was no loop

    std::mutex mutex;
    std::condition_variable ended_changed;
    bool begun = false;  // guarded by mutex, like the following
    bool ended = false;
    std::string url;
    std::thread thread;

    /// On the loop while it runs; otherwise on this thread, as nothing else can access the server then.
    template <class T>
    T on_loop(std::function<T()> function) {
        // Shared, because set_value() may still be executing when the value is taken.
        auto promise = std::make_shared<std::promise<T>>();
        auto value = promise->get_future();
        {
            const std::lock_guard lock(gate->mutex);
            if (gate->loop == nullptr) return function();
            gate->loop->post([promise, &function] { promise->set_value(function()); });
        }
        return value.get();
    }

    Result<void> begin() {
        const std::lock_guard lock(mutex);
        if (begun) return fail(ErrorCode::kInvalidArgument, "a server serves once");
        begun = true;
        return {};
    }

    void run(Task<void> main) {
        {
            const std::lock_guard lock(gate->mutex);
            gate->loop = &loop;
            if (stop_early) stop_now(*stop_early);
        }
        loop.run_until_done(std::move(main));
        {
            const std::lock_guard lock(gate->mutex);
            gate->loop = nullptr;
        }
        loop.run_until_done(one_turn());  // runs functions posted meanwhile: a thread may wait for them
        const std::lock_guard lock(mutex);
        ended = true;
        ended_changed.notify_all();
    }

    void stop_now(Duration within) {
        if (stopping.is_set()) return;  // the grace of the first call counts
        grace = within;
        stopping.set();
    }

    /// Signals the end; does not wait for it.
    void stop(Duration within) {
        const std::lock_guard lock(gate->mutex);
        if (gate->loop == nullptr) {
            if (!stop_early) stop_early = within;
        } else {
            gate->loop->post([this, within] { stop_now(within); });
        }
    }

    void wait_until_ended() {
        std::unique_lock lock(mutex);
        if (begun) ended_changed.wait(lock, [this] { return ended; });
    }

    /// Starts a thread that runs serve(settings, promise) and returns once the promise is fulfilled.
    template <class Settings>
    Result<void> start(Task<void> (Impl::*serve)(Settings, std::shared_ptr<std::promise<Result<void>>>),
                       Settings settings) {
        if (auto first = begin(); !first) return first;
        auto started = std::make_shared<std::promise<Result<void>>>();
        auto result = started->get_future();
        thread = std::thread([this, serve, settings = std::move(settings), started = std::move(started)] {
            run((this->*serve)(settings, started));
        });
        return result.get();
    }

    Task<void> until_stopped() {
        Scope watch((Context::background()));
        signals = &watch;
        static_cast<void>(co_await stopping.wait(Context::background()));
        signals = nullptr;
        watch.cancel();
        co_await watch.join();
    }

    Task<void> serve_http(HttpSettings settings, std::shared_ptr<std::promise<Result<void>>> started) {
        mcp::HttpEndpointOptions options;
        options.allowed_hosts = settings.allowed_hosts;
        options.allowed_origins = settings.allowed_origins;
        mcp::HttpEndpoint endpoint(options, sealer);
        http::ServerOptions listen;
        listen.host = settings.host;
        listen.port = settings.port;
        http::Server listener(loop, listen, [&](const Context& ctx, http::Exchange& exchange) {
            return route(ctx, exchange, endpoint, server, settings.path);
        });
        if (auto begun_listening = listener.start(); !begun_listening) {
            started->set_value(fail(begun_listening.error()));
            co_await endpoint.close(Duration::zero());
            co_return;
        }
        {
            const bool bare_ipv6 = settings.host.contains(':') && !settings.host.starts_with('[');
            const std::string host = bare_ipv6 ? "[" + settings.host + "]" : settings.host;
            const std::lock_guard lock(mutex);
            url = "http://" + host + ":" + std::to_string(listener.port()) + settings.path;
        }
        started->set_value({});
        co_await until_stopped();
        endpoint.drain();
        co_await endpoint.close(grace);
        co_await listener.stop(grace);
        co_await server.close();
    }

    struct Mounted {
        MountSettings settings;
        std::shared_ptr<Mount::Impl> entry;
    };
    Task<void> serve_mounted(Mounted mounted, std::shared_ptr<std::promise<Result<void>>> started) {
        detail::MountHost host(std::move(mounted.settings), sealer, server);
        mounted.entry->host->now = &host;
        started->set_value({});
        co_await until_stopped();
        mounted.entry->host->now = nullptr;
        co_await host.close(grace);
        co_await server.close();
    }

    Task<void> end_with(CancelSource source, Context ctx) {
        if (co_await stopping.wait(ctx)) source.cancel();
    }

    Task<void> serve_stdio(Result<void>& served) {
        auto stream = process::standard_streams(loop);
        if (stream) {
            const CancelSource source;
            Scope watch((Context::background()));
            watch.spawn(end_with(source, watch.context()));
            served = co_await mcp::serve_lines(Context::background().stopped_by(source), **stream, **stream, server, {},
                                               grace);
            if (source.cancelled()) served = {};
            watch.cancel();
            co_await watch.join();
        } else {
            served = fail(stream.error());
        }
        co_await server.close();
    }

    void watch_signals() {
        if (signals != nullptr) signals->spawn(stop_on_signal(signals->context()));
    }
    Task<void> stop_on_signal(Context ctx) {
        static constexpr std::array kSignals{SIGINT, SIGTERM};
        if (co_await wait_for_signal(ctx, kSignals)) stopping.set();
    }
};

Server::Server(std::string name, std::string version, ServerSettings settings)
    : impl_(std::make_shared<Impl>(std::move(name), std::move(version), settings)) {}

Server::~Server() {
    stop();
    impl_->wait_until_ended();
    if (impl_->thread.joinable()) impl_->thread.join();
}

bool Server::register_tool(mcp::Tool definition, ToolFunction function) {
    return add(std::move(definition), std::move(function)).has_value();
}

Result<void> Server::add_tools(std::vector<mcp::Tool> definitions, ToolExecutor executor) {
    return add_tools(std::move(definitions),
                     [executor = std::move(executor)](ServedCall&, const std::string& tool, JsonObject arguments) {
                         return executor(tool, std::move(arguments));
                     });
}

Result<void> Server::add_tools(std::vector<mcp::Tool> definitions, CallExecutor executor) {
    const auto shared = std::make_shared<const CallExecutor>(std::move(executor));
    for (mcp::Tool& definition : definitions) {
        const std::string name = definition.name;
        auto added = add(std::move(definition), [shared, name](ServedCall& call, JsonObject arguments) {
            return (*shared)(call, name, std::move(arguments));
        });
        if (!added) return fail(added.error().within("tool '" + name + "'"));
    }
    return {};
}

Result<void> Server::add(mcp::Tool definition, ToolFunction function) {
    auto handler = [function = std::move(function), gate = impl_->gate, limit = impl_->max_calls](
                       const Context& ctx, mcp::ServerCall& call, JsonObject arguments) {
        return detail::run_apart<mcp::CallToolResult>(
            ctx, call, call.shared_peer(), gate, limit,
            [function, arguments = std::move(arguments)](ServedCall& served) { return function(served, arguments); });
    };
    return impl_->on_loop<Result<void>>([&] { return impl_->server.add(std::move(definition), std::move(handler)); });
}

namespace {

mcp::ResourceHandler reading(Server::ResourceFunction function, std::shared_ptr<detail::Gate> gate, std::size_t limit) {
    return [function = std::move(function), gate = std::move(gate), limit](const Context& ctx, mcp::ServerCall& call,
                                                                           std::string uri, mcp::StringMap variables) {
        return detail::run_apart<mcp::ReadResourceResult>(
            ctx, call, call.shared_peer(), gate, limit,
            [function, uri = std::move(uri), variables = std::move(variables)](ServedCall& served) {
                return function(served, uri, variables);
            });
    };
}

}  // namespace

Result<void> Server::add(mcp::Resource definition, ResourceFunction function) {
    auto handler = reading(std::move(function), impl_->gate, impl_->max_calls);
    return impl_->on_loop<Result<void>>([&] { return impl_->server.add(std::move(definition), std::move(handler)); });
}

Result<void> Server::add(mcp::ResourceTemplate definition, ResourceFunction function) {
    auto handler = reading(std::move(function), impl_->gate, impl_->max_calls);
    return impl_->on_loop<Result<void>>([&] { return impl_->server.add(std::move(definition), std::move(handler)); });
}

Result<void> Server::add(mcp::Prompt definition, PromptFunction function) {
    auto handler = [function = std::move(function), gate = impl_->gate, limit = impl_->max_calls](
                       const Context& ctx, mcp::ServerCall& call, mcp::StringMap arguments) {
        return detail::run_apart<mcp::GetPromptResult>(
            ctx, call, call.shared_peer(), gate, limit,
            [function, arguments = std::move(arguments)](ServedCall& served) { return function(served, arguments); });
    };
    return impl_->on_loop<Result<void>>([&] { return impl_->server.add(std::move(definition), std::move(handler)); });
}

bool Server::remove_tool(std::string_view name) {
    return impl_->on_loop<bool>([&] { return impl_->server.remove_tool(name); });
}
bool Server::remove_resource(std::string_view uri) {
    return impl_->on_loop<bool>(
        [&] { return impl_->server.remove_resource(uri) || impl_->server.remove_template(uri); });
}
bool Server::remove_prompt(std::string_view name) {
    return impl_->on_loop<bool>([&] { return impl_->server.remove_prompt(name); });
}
void Server::resource_updated(std::string uri) {
    impl_->gate->post([impl = impl_, uri = std::move(uri)] { impl->server.resource_updated(uri); });
}

Result<void> Server::serve_http(HttpSettings settings) {
    if (!settings.allow_remote && !is_loopback(settings.host)) {
        return fail(ErrorCode::kDenied, "serving beyond this machine without asking who calls needs allow_remote");
    }
    if (!settings.path.starts_with('/')) return fail(ErrorCode::kInvalidArgument, "the path begins with a slash");
    return impl_->start(&Impl::serve_http, std::move(settings));
}

std::string Server::url() const {
    const std::lock_guard lock(impl_->mutex);
    return impl_->url;
}

Result<void> Server::serve_stdio() {
    if (auto begun = impl_->begin(); !begun) return begun;
    Result<void> served;
    impl_->run(impl_->serve_stdio(served));
    return served;
}

Result<Mount> Server::mount(MountSettings settings) {
    auto entry = std::make_shared<Mount::Impl>(impl_->gate);
    auto started = impl_->start(&Impl::serve_mounted, Impl::Mounted{std::move(settings), entry});
    if (!started) return fail(std::move(started).error());
    return Mount(std::move(entry));
}

void Server::stop(std::chrono::milliseconds grace) {
    impl_->stop(grace);
}

void Server::wait() {
    static_cast<void>(impl_->gate->post([impl = impl_.get()] { impl->watch_signals(); }));
    impl_->wait_until_ended();
}

}  // namespace gantry
