// McpSource's lifecycle: connecting, listing, losing its server and reconnecting.

#include "gateway/sources/mcp/source.hpp"

#include <algorithm>

#include "base/try.hpp"
#include "gateway/sources/mcp/legacy_tasks.hpp"
#include "gateway/sources/mcp/start_limiter.hpp"
#include "io/loop.hpp"
#include "mcp/client/backoff.hpp"
#include "mcp/protocol/codec.hpp"
#include "mcp/transport/stdio.hpp"

namespace gantry::gateway {

namespace {

/// Time limit for a server to respond after a call failed to reach it.
constexpr Duration kProbeTime = seconds(10);

InventoryPtr nothing() {
    static const InventoryPtr kNothing = std::make_shared<const Inventory>();
    return kNothing;
}

Kinds kinds_of(mcp::ListKind kind) {
    Kinds kinds;
    if (kind == mcp::ListKind::kTools) kinds.set(static_cast<std::size_t>(ItemKind::kTool));
    if (kind == mcp::ListKind::kPrompts) kinds.set(static_cast<std::size_t>(ItemKind::kPrompt));
    if (kind == mcp::ListKind::kResources) {
        kinds.set(static_cast<std::size_t>(ItemKind::kResource));
        kinds.set(static_cast<std::size_t>(ItemKind::kTemplate));
    }
    return kinds;
}

SourceHealth lost(const Error& why) {
    return mcp::is_orderly_exit(why) ? SourceHealth::kExited : SourceHealth::kCrashed;
}

Task<void> close_link(LinkPtr link) {
    co_await link->client().close();
}

/// The innermost message, which names the cause.
std::string reason(const Error& error) {
    std::string text = error.message();
    for (const Error* cause = error.cause(); cause != nullptr; cause = cause->cause()) text += ": " + cause->message();
    return text;
}

}  // namespace

McpSource::McpSource(Loop& loop, McpServerSpec spec, McpSourceOptions options)
    : spec_(std::move(spec)),
      options_(std::move(options)),
      upstream_(loop, spec_, options_),
      inventory_(nothing()),
      scope_(Context::background()) {
    if (!options_.starts) options_.starts = std::make_shared<StartLimiter>();
    lanes_ = std::make_shared<Lanes>(
        [this](const mcp::ClientCapabilities& declare, std::function<void(Kinds)> announced) {
            return make_lane_client(declare, std::move(announced));
        },
        options_.starts,
        Lanes::Limits{.per_key = spec_.max_lanes,
                      .total = options_.max_lanes_total,
                      .waiting = options_.max_waiting,
                      .queue_timeout = spec_.timeout,
                      .idle_close = spec_.idle_close},
        Lanes::Lists{.read = [this](const Context& ctx, mcp::Client& client, const LaneKey& key, InventoryPtr before,
                                    Kinds kinds) { return read_lane(ctx, client, key, std::move(before), kinds); },
                     .changed = [this](const LaneKey& key, Kinds announced) { lane_lists_changed(key, announced); }},
        [this](Link& link) { return check_lane(link); });
    parked_ = std::make_unique<ParkedCalls>(ParkedCalls::Limits{
        .total = options_.max_parked, .per_principal = options_.max_parked_per_principal, .ttl = options_.park_ttl});
    tasks_ = std::make_unique<LegacyTasks>(spec_, options_, scope_, [this](Json task) {
        tell({.kind = SourceChange::Kind::kTask, .task = std::move(task)});
    });
}

McpSource::~McpSource() = default;

void McpSource::start() {
    if (state_ != SourceState::kIdle || stopping_) return;
    set_state(SourceState::kStarting, "it is starting");
    scope_.spawn(run());
}

Task<void> McpSource::stop() {
    stopping_ = true;
    scope_.cancel();
    changed_.pulse();
    tasks_->close();
    // Concurrently: every connection may take as long as its server takes to exit.
    Scope ending(Context::background());
    ending.spawn(parked_->close());
    ending.spawn(lanes_->close());
    if (shared_) ending.spawn(close_link(shared_));
    co_await ending.join();
    co_await scope_.join();
    upstream_.close();
    inventory_ = nothing();
    health_ = SourceHealth::kCancelled;
    set_state(SourceState::kDown, "it was stopped");
}

Task<void> McpSource::run() {
    // A server that the gateway cannot start without has to be reached first.
    const bool may_wait = spec_.connect == Connect::kLazy && spec_.on_connect_error != OnConnectError::kFail;
    if (recall() && may_wait) {
        health_ = SourceHealth::kHealthy;
        set_state(SourceState::kAsleep, {});
        if (!co_await wait_until_needed()) co_return;
    }
    while (!stopping_) {
        if (auto made = make_shared(); !made) {
            problem(made.error());
            health_ = SourceHealth::kTaskMissing;
            set_state(SourceState::kDown, reason(made.error()));
            co_return;
        }
        if (!co_await connect_first()) co_return;
        shared_->client().watch([this](mcp::ConnectionState state) { on_client_state(state); });
        on_client_state(shared_->client().state());
        stale_.set();
        if (!co_await stay_up() || !co_await sleep()) co_return;
    }
}

Result<void> McpSource::make_shared() {
    mcp::SessionHandlers handlers;
    handlers.on_list_changed = [this](mcp::ListKind kind) {
        stale_ |= kinds_of(kind);
        changed_.pulse();
    };
    handlers.on_list_announced = [this](mcp::ListKind kind) { announced_ |= kinds_of(kind); };
    handlers.on_resource_updated = [this](const std::string& uri) {
        tell({.kind = SourceChange::Kind::kResourceUpdated, .uri = uri});
    };
    handlers.on_task_changed = [this](const mcp::TaskState& task) {
        if (!shared_->modern()) return tasks_->heard(shared_->client(), task);
        const std::string own_id = "m." + task.task_id;
        tell_task(mcp::encode(mcp::TaskStatusChanged{.task = task}, mcp::kLatestRevision), own_id);
    };
    handlers.on_gap = [this] {
        if (!followed_tasks_.empty() && !stopping_) scope_.spawn(look_at_tasks());
    };
    // All clients share this connection, so it declares no client's capabilities.
    GANTRY_TRY(auto client, upstream_.make_client(mcp::ClientCapabilities{}, std::move(handlers)));
    shared_ = std::make_shared<Link>(std::move(client));
    return {};
}

Task<bool> McpSource::stay_up() {
    const Context ctx = scope_.context();
    used_ = SteadyClock::now();
    may_idle_now_ = false;
    while (!stopping_) {
        const bool up = shared_->client().state() == mcp::ConnectionState::kConnected;
        if (stale_.any() && up) {
            co_await list_again();
            continue;
        }
        const bool may_sleep = spec_.connect == Connect::kLazy && up && unused();
        const Deadline idle = Deadline::after(spec_.idle_close, used_);
        const bool over = may_idle_now_ || idle.passed();
        if (may_sleep && over) co_return true;
        // A connection in use at its idle timeout is checked again later.
        const Duration look = std::max<Duration>(spec_.idle_close / 4, milliseconds(10));
        const bool lazy = spec_.connect == Connect::kLazy;
        const Context until = !lazy ? ctx : over ? ctx.within(look) : ctx.until(idle);
        if (!co_await changed_.wait(until) && ctx.cancel().cancelled()) break;
    }
    co_return false;
}

/// A call is in flight, or the shared connection or a lane is leased.
bool McpSource::busy() const noexcept {
    // While the server is idle, run() holds the shared link.
    const bool shared_in_use = shared_.use_count() > 1 && state_ != SourceState::kAsleep;
    return calls_ > 0 || shared_in_use || lanes_->busy();
}

bool McpSource::unused() const noexcept {
    return calls_ == 0 && shared_.use_count() == 1 && wanted_.empty() && followed_tasks_.empty() &&
           parked_->size() == 0;
}

/// Returns true when a call needs the server, false when the source stops.
Task<bool> McpSource::sleep() {
    const LinkPtr link = shared_;
    link->client().watch({});
    ++outages_;
    listed_ = 0;
    followed_.clear();
    // The connection looks usable until it is closed; calls that arrive meanwhile use the next one.
    closing_shared_ = true;
    set_state(SourceState::kAsleep, {});
    co_await link->client().close();
    closing_shared_ = false;
    co_return co_await wait_until_needed();
}

Task<bool> McpSource::wait_until_needed() {
    const Context ctx = scope_.context();
    while (state_ == SourceState::kAsleep && !stopping_) {
        if (!co_await changed_.wait(ctx)) co_return false;
    }
    co_return !stopping_;
}

void McpSource::wake() {
    if (state_ == SourceState::kAsleep) set_state(SourceState::kStarting, "it is starting");
}

void McpSource::retry_now() {
    list_now_ = true;
    hurry_.pulse();
    if (shared_) shared_->client().retry_now();
}

Result<std::unique_ptr<mcp::Client>> McpSource::make_lane_client(const mcp::ClientCapabilities& declare,
                                                                 std::function<void(Kinds)> announced) {
    // Set once the client exists; it calls no handler before that.
    const auto self = std::make_shared<const mcp::Client*>(nullptr);
    mcp::SessionHandlers handlers;
    handlers.on_task_changed = [this, self](const mcp::TaskState& task) { tasks_->heard(**self, task); };
    handlers.on_list_announced = [announced = std::move(announced)](mcp::ListKind kind) { announced(kinds_of(kind)); };
    // These capabilities are declared so that the server can ask in the legacy way.
    const bool legacy = declare.elicitation || declare.sampling || declare.roots;
    GANTRY_TRY(auto client, upstream_.make_client(declare, std::move(handlers), legacy));
    *self = client.get();
    return client;
}

Task<bool> McpSource::connect_first() {
    const Context ctx = scope_.context();
    mcp::Backoff backoff(options_.retry_first, options_.retry_longest);
    while (!stopping_) {
        {
            auto permit = co_await options_.starts->acquire(ctx);
            if (!permit) co_return false;
            auto connected = co_await shared_->client().connect(ctx);
            if (connected) co_return true;
            if (stopping_) co_return false;
            if (state_ != SourceState::kDown)
                problem(Error(ErrorCode::kConnection, "it cannot be reached: " + no_connection(connected.error())));
            health_ = lost(connected.error());
            set_state(SourceState::kDown, no_connection(connected.error()));
            ++failures_;
            changed_.pulse();
        }
        if (auto hurried = co_await hurry_.wait(ctx.within(backoff.next())); !hurried && ctx.cancel().cancelled())
            co_return false;
    }
    co_return false;
}

std::string McpSource::no_connection(const Error& why) const {
    const std::string text = reason(why);
    if (why.code() != ErrorCode::kTimeout || !text.ends_with("the deadline passed")) return text;
    const Duration limit = options_.connect_timeout.value_or(connect_limit(spec_));
    const auto whole = std::chrono::duration_cast<milliseconds>(limit).count();
    return "it did not answer within " +
           (whole % 1000 == 0 ? std::to_string(whole / 1000) + " s" : std::to_string(whole) + " ms") +
           " (connect_timeout)";
}

void McpSource::on_client_state(mcp::ConnectionState state) {
    if (stopping_) return;
    if (state == mcp::ConnectionState::kReconnecting) {
        const auto& why = shared_->client().trouble();
        health_ = why ? lost(*why) : SourceHealth::kCrashed;
        scope_.spawn(wait_out(++outages_));
        // Only this message distinguishes a program that was killed for what it did from one that crashed.
        std::string told = "the connection was lost";
        if (why) told += ": " + reason(*why);
        told += "; reconnecting";
        problem(Error(ErrorCode::kConnection, told));
        set_state(SourceState::kStarting, told);
    } else if (state == mcp::ConnectionState::kConnected) {
        ++outages_;
        health_ = SourceHealth::kHealthy;
        connected_at_ = SteadyClock::now();
        next_pause_ = {};
        // A restarted server may be another version.
        modern_only_ = false;
        forget_variants();
        // The lists are read before the source counts as ready; the client marks its own caches as stale.
        stale_.set();
    }
    changed_.pulse();
}

void McpSource::suspect() {
    if (probing_ || !connected()) return;
    probing_ = true;
    scope_.spawn(probe());
}

Task<void> McpSource::probe() {
    const LinkPtr link = shared_;
    const auto answered = co_await link->client().ping(scope_.context().within(kProbeTime));
    probing_ = false;
    if (answered || stopping_ || link != shared_) co_return;
    // Slow is not gone: only an unreachable server loses its session. The client reconnects from then on.
    if (answered.error().code() == ErrorCode::kConnection) link->client().renew();
}

/// A server that is not back after the grace period is down, and its items are gone unless they are to be kept.
Task<void> McpSource::wait_out(std::uint64_t outage) {
    const Context ctx = scope_.context();
    const TimePoint until = SteadyClock::now() + options_.grace;
    // Once enough attempts have failed, a ping returns the reason.
    auto asked = co_await shared_->client().ping(ctx.within(options_.grace));
    // A timeout here says nothing about the server; the last connection attempt does.
    const auto& last = shared_->client().trouble();
    const bool known = !asked && asked.error().code() != ErrorCode::kTimeout;
    if (!asked && outage == outages_ && !stopping_) {
        if (known) {
            trouble_ = reason(asked.error());
        } else if (last) {
            trouble_ = "it cannot be reached again: " + reason(*last);
        }
    }
    while (outage == outages_ && !stopping_ && SteadyClock::now() < until) {
        if (!co_await changed_.wait(ctx.until(Deadline(until))) && ctx.cancel().cancelled()) co_return;
    }
    if (outage != outages_ || stopping_) co_return;
    if (!known && shared_->client().trouble())
        trouble_ = "it cannot be reached again: " + reason(*shared_->client().trouble());
    if (!spec_.keeps_lists()) publish(nothing());
    const std::string why = trouble_;
    problem(Error(ErrorCode::kConnection, "it is down: " + why));
    set_state(SourceState::kDown, why);
}

std::optional<TimePoint> McpSource::connected_since() const noexcept {
    return connected() ? std::optional(connected_at_) : std::nullopt;
}

void McpSource::set_state(SourceState state, std::string trouble) {
    trouble_ = std::move(trouble);
    if (state_ == state) return;
    state_ = state;
    changed_.pulse();
    tell({.kind = SourceChange::Kind::kState});
}

void McpSource::tell(SourceChange change) const {
    if (tell_) tell_(change);
}

void McpSource::problem(const Error& why) {
    if (options_.on_problem) options_.on_problem(spec_.name, reason(why));
}

Task<Result<void>> McpSource::ready(const Context& ctx) {
    // The client recovers lost connections by itself: it waits for a few attempts and reports the outcome.
    const bool was_ready = shared_ && shared_->client().state() == mcp::ConnectionState::kReconnecting;
    const Context waiting = ctx.within(spec_.timeout);
    wake();
    while (state_ == SourceState::kStarting && !was_ready && listed_ == 0 && !stopping_) {
        if (!co_await changed_.wait(waiting)) break;
    }
    GANTRY_CO_CHECK(ctx.check());
    if (connected() || (!stopping_ && was_ready && state_ != SourceState::kDown)) co_return Result<void>();
    co_return fail(Error(ErrorCode::kConnection, "server '" + spec_.name + "' is not available: " +
                                                     (trouble_.empty() ? "it was not started" : trouble_))
                       .on_server(spec_.name));
}

Task<std::set<std::string>> McpSource::follow(const Context& ctx, std::set<std::string> uris) {
    wanted_ = std::move(uris);
    std::set<std::string> honoured;
    if (state_ == SourceState::kReady) co_await follow_wanted(ctx, honoured);
    co_return honoured;
}

Task<void> McpSource::follow_wanted(const Context& ctx, std::set<std::string>& honoured) {
    const auto& resources = shared_->server().capabilities.resources;
    if (!resources || !resources->subscribe.value_or(false)) co_return;
    auto guard = co_await following_.lock(ctx);
    if (!guard) co_return;
    const std::set<std::string> wanted = wanted_;
    const std::set<std::string> followed = followed_;
    for (const std::string& uri : followed) {
        if (wanted.contains(uri)) continue;
        auto left = co_await shared_->client().unsubscribe(ctx, uri);
        // an unwanted update has no follower and does no harm
        static_cast<void>(left);
        followed_.erase(uri);
    }
    for (const std::string& uri : wanted) {
        if (!followed_.contains(uri)) {
            auto taken = co_await shared_->client().subscribe(ctx, uri);
            if (!taken) continue;
            followed_.insert(uri);
        }
        honoured.insert(uri);
    }
}

void McpSource::client_gone(const std::string& session) {
    lanes_->forget(std::string(kClientOwner) + session);
}

}  // namespace gantry::gateway
