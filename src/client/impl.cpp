#include "client/impl.hpp"

#include "base/try.hpp"
#include "client/era_file.hpp"
#include "client/handlers.hpp"
#include "mcp/client/era_cache.hpp"
#include "mcp/transport/stderr_tail.hpp"

namespace gantry {

/// The first non-message line a program wrote to its standard output, for the error of a failed connect.
class StdoutNoise {
public:
    void add(std::string_view line) {
        // Text that looks like JSON may contain values that do not belong in an error.
        if (stopped_ || !first_.empty() || line.starts_with('{') || line.starts_with('[')) return;
        first_ = mcp::one_line(line, kQuoted);
    }
    void stop() { stopped_ = true; }
    const std::string& first() const noexcept { return first_; }

private:
    static constexpr std::size_t kQuoted = 100;
    std::string first_;
    bool stopped_ = false;
};

namespace {

constexpr Duration kEraFileWithin = seconds(2);

// As written in the configuration of the gateway.
constexpr const char* kStdio = "stdio";
constexpr const char* kStreamable = "streamable-http";
constexpr const char* kSse = "sse";

/// What is tried first.
std::string transport_name(const ConnectOptions& options) {
    const auto* http = std::get_if<HttpServer>(&options.server);
    if (http == nullptr) return kStdio;
    return http->transport == HttpServer::Transport::kSse ? kSse : kStreamable;
}

/// Shared by all clients of the process, accessed on the runtime's thread only. Verdicts for the user's file are
/// kept separately from those that must not be written to it.
std::shared_ptr<mcp::EraCache> era_cache(EraMemory memory) {
    static const auto process = std::make_shared<mcp::EraCache>();
    static const auto user = std::make_shared<mcp::EraCache>();
    switch (memory) {
        case EraMemory::kNone: return nullptr;
        case EraMemory::kProcess: return process;
        case EraMemory::kUser: return user;
    }
    return process;
}

Result<std::string> read_eras() {
    const auto file = EraFile::of_user();
    return file ? file->read() : std::string();
}

Result<void> write_eras(const mcp::EraCache& learned) {
    if (const auto file = EraFile::of_user()) file->update(learned);
    return {};
}

/// Loads verdicts of other programs. A hanging file system must not block the connect.
Task<void> load_eras(Context ctx, Runtime& runtime, EraMemory memory) {
    if (memory != EraMemory::kUser) co_return;
    auto text = co_await runtime.offload<std::string>(ctx.within(kEraFileWithin), &read_eras);
    if (text) era_cache(memory)->merge(*text);
}

Task<void> save_eras(Context ctx, Runtime& runtime, EraMemory memory) {
    const auto cache = era_cache(memory);
    if (memory != EraMemory::kUser || !cache->changed()) co_return;
    auto learned = *cache;
    cache->written();
    auto written = co_await runtime.offload<void>(ctx.within(kEraFileWithin),
                                                  [learned = std::move(learned)] { return write_eras(learned); });
    static_cast<void>(written);  // a verdict that is not stored costs one probe
}

mcp::EraChoice era_of(const ConnectOptions& options) {
    // HTTP+SSE is legacy only, so there is nothing to probe.
    const auto* http = std::get_if<HttpServer>(&options.server);
    if (http != nullptr && http->transport == HttpServer::Transport::kSse) return mcp::EraChoice::kLegacy;
    switch (options.era) {
        case Era::kAuto: return mcp::EraChoice::kAuto;
        case Era::kLegacy: return mcp::EraChoice::kLegacy;
        case Era::kModern: return mcp::EraChoice::kModern;
    }
    return mcp::EraChoice::kAuto;
}

Duration login_time_of(const ConnectOptions& options) {
    const auto* http = std::get_if<HttpServer>(&options.server);
    if (http == nullptr || !http->authorization) return Duration::zero();
    const auto* login = std::get_if<UserLogin>(&http->authorization->how);
    return login == nullptr ? Duration::zero() : Duration(login->timeout);
}

mcp::ClientSettings settings_for(Runtime& runtime, const ConnectOptions& options, std::shared_ptr<Roots> roots) {
    mcp::ClientSettings settings;
    settings.self = options.self;
    settings.handlers = on_own_threads(runtime, options.handlers, std::move(roots));
    settings.era = era_of(options);
    settings.era_cache = era_cache(options.era_memory);
    settings.log_level = options.log_level;
    settings.connect_timeout = options.connect_timeout;
    settings.connect_retries = options.connect_retries;
    settings.reconnect_retries = options.reconnect_retries;
    if (const Duration login_time = login_time_of(options); login_time > Duration::zero()) {
        // The user logs in during the first request, which takes longer than any server.
        settings.connect_timeout += login_time;
        settings.probe_timeout += login_time;
    }
    // A server that does not answer the probe is sent initialize, which needs time too.
    settings.probe_timeout = std::min<Duration>(settings.probe_timeout, settings.connect_timeout / 3);
    settings.times = {.idle = options.call_timeout, .total = options.call_cap};
    return settings;
}

std::string seconds_text(std::chrono::milliseconds duration) {
    return Json(static_cast<double>(duration.count()) / 1000).dump() + " s";
}

Error connect_error(const Error& error, const std::string& name, std::chrono::milliseconds limit,
                    const StdoutNoise& noise) {
    Error told = error;
    if (error.code() == ErrorCode::kTimeout)
        told = Error(ErrorCode::kTimeout, "no answer within " + seconds_text(limit))
                   .timed_out_after(limit)
                   .caused_by(error);
    if (!noise.first().empty()) {
        Error with_noise(told.code(), told.message() + "; the program wrote '" + noise.first() +
                                          "', which is not MCP: an MCP server writes only JSON-RPC messages to its "
                                          "standard output");
        if (told.cause() != nullptr) with_noise = std::move(with_noise).caused_by(*told.cause());
        if (told.timeout()) with_noise = std::move(with_noise).timed_out_after(*told.timeout());
        told = std::move(with_noise);
    }
    return told.within("cannot connect to '" + name + "'");
}

ConnectionState public_state(mcp::ConnectionState state) {
    switch (state) {
        case mcp::ConnectionState::kDisconnected: return ConnectionState::kDisconnected;
        case mcp::ConnectionState::kConnecting: return ConnectionState::kConnecting;
        case mcp::ConnectionState::kConnected: return ConnectionState::kConnected;
        case mcp::ConnectionState::kReconnecting: return ConnectionState::kReconnecting;
    }
    return ConnectionState::kDisconnected;
}

}  // namespace

Task<Result<std::shared_ptr<Client::Impl>>> Client::Impl::open(Context ctx, Runtime& runtime, ConnectOptions options,
                                                               ConnectHooks hooks) {
    auto impl = std::make_shared<Impl>(runtime);
    impl->name_ = server_name(options);
    impl->transport_ = transport_name(options);
    impl->on_state_ = options.handlers.on_state;
    impl->filter_ = options.tool_filter;
    impl->total_ = options.total_timeout;
    if (impl->total_.count() > 0) impl->deadline_ = Deadline::after(impl->total_);
    impl->connect_timeout_ = options.connect_timeout;
    impl->era_memory_ = options.era_memory;
    const Context limited = ctx.until(impl->deadline_);
    const auto noise = impl->noise_ = std::make_shared<StdoutNoise>();
    hooks.on_noise = [noise](std::string_view line) { noise->add(line); };
    auto route = make_route(runtime, options, hooks, impl->http_);
    if (!route) co_return fail(Error(route.error()).on_server(impl->name_));
    co_await load_eras(limited, runtime, options.era_memory);
    if (const auto cache = era_cache(options.era_memory); cache && options.probe_again) cache->forget(route->identity);
    impl->mcp_ = std::make_unique<mcp::Client>(*std::move(route), settings_for(runtime, options, impl->roots_));
    impl->mcp_->watch([raw = impl.get()](mcp::ConnectionState state) { raw->on_state(state); });
    if (options.connect == Connect::kLazy) co_return impl;
    if (auto connected = co_await impl->connect(limited, false); !connected) {
        co_await impl->close();
        co_return fail(connected.error());
    }
    co_return impl;
}

bool Client::Impl::is_disconnected() const noexcept {
    const auto state = mcp_->state();
    return !closed_ && (state == mcp::ConnectionState::kDisconnected || state == mcp::ConnectionState::kConnecting);
}

Task<Result<void>> Client::Impl::connect(Context ctx, bool shared) {
    auto connected = shared ? co_await mcp_->connect_on_demand(ctx) : co_await mcp_->connect(ctx);
    co_await save_eras(ctx, runtime_, era_memory_);
    if (!connected) {
        const auto limit = total_.count() > 0 ? std::min(total_, connect_timeout_) : connect_timeout_;
        co_return fail(located(connect_error(connected.error(), name_, limit, *noise_)));
    }
    noise_->stop();
    co_return connected;
}

Error Client::Impl::explained(Error error) const {
    if (error.code() != ErrorCode::kTimeout || deadline_.is_never() || !deadline_.passed()) return error;
    return Error(ErrorCode::kTimeout, "not finished within " + seconds_text(total_))
        .timed_out_after(total_)
        .caused_by(std::move(error));
}

Error Client::Impl::located(Error error) const {
    const bool lost = error.code() == ErrorCode::kConnection || error.code() == ErrorCode::kOutcomeUnknown;
    if (lost) error = std::move(error).on_transport(transport_);
    return std::move(error).on_server(name_);
}

void Client::Impl::note_transport() {
    const auto session = mcp_->session();
    if (session && session->wire() == mcp::Wire::kHttp) transport_ = kStreamable;
    if (session && session->wire() == mcp::Wire::kHttpSse) transport_ = kSse;
}

mcp::CallSettings call_settings(const CallOptions& options, const mcp::ClientSettings& usual) {
    mcp::CallSettings settings{.on_progress = options.on_progress, .validate = options.validate};
    if (options.timeout) {
        settings.times =
            mcp::CallTimes{.idle = *options.timeout, .total = std::max<Duration>(*options.timeout, usual.times.total)};
    }
    if (options.task_ttl) settings.task_ttl = *options.task_ttl;
    return settings;
}

Result<void> Client::Impl::replace_roots(std::vector<mcp::Root> roots) {
    if (!mcp_->settings().handlers.roots) {
        return fail(ErrorCode::kInvalidArgument, "roots were not offered when connecting: set Handlers::roots");
    }
    roots_->replaced = std::move(roots);
    return {};
}

void Client::Impl::on_state(mcp::ConnectionState state) {
    if (state == mcp::ConnectionState::kConnected) {
        note_transport();
        std::lock_guard lock(mutex_);
        server_ = mcp_->server();
    }
    state_.store(public_state(state));
    if (on_state_) on_state_(public_state(state));
}

mcp::ServerDescription Client::Impl::server() const {
    std::lock_guard lock(mutex_);
    return server_;
}

Task<void> Client::Impl::close() {
    closed_ = true;
    co_await mcp_->close();
    if (http_) http_->client->close();
}

Task<Result<void>> Client::Impl::close_kept(Context, std::shared_ptr<Impl> self) {
    co_await self->close();
    co_return Result<void>();
}

Pending<void> Client::Impl::close_async() {
    return launch_unconnected<void>(&Impl::close_kept);
}

}  // namespace gantry
