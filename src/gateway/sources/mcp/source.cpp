#include "gateway/sources/mcp/source.hpp"

#include "base/try.hpp"
#include "gateway/sources/mcp/held_stream.hpp"
#include "gateway/sources/mcp/server_errors.hpp"
#include "gateway/sources/mcp/start_limiter.hpp"
#include "io/loop.hpp"

namespace gantry::gateway {

namespace {

McpSourceOptions complete(McpSourceOptions options) {
    if (!options.starts) options.starts = std::make_shared<StartLimiter>();
    return options;
}

Task<void> close_link(LinkPtr link) {
    co_await link->client().close();
}

}  // namespace

McpSource::McpSource(Loop& loop, McpServerSpec spec, McpSourceOptions options)
    : spec_(std::move(spec)),
      options_(complete(std::move(options))),
      scope_(Context::background()),
      status_(spec_, options_),
      idleness_(spec_),
      upstream_(loop, spec_, options_),
      connection_(spec_, options_, status_, scope_,
                  {.connected = [this] { on_connected(); },
                   .given_up =
                       [this] {
                           if (!spec_.keeps_lists()) publish(SourceLists::nothing());
                       }}),
      lists_(spec_, options_, status_),
      sharing_(spec_, upstream_, connection_, lists_, status_),
      lanes_(make_lanes()),
      audiences_({.spec = spec_,
                  .options = options_,
                  .status = status_,
                  .scope = scope_,
                  .idleness = idleness_,
                  .connection = connection_,
                  .lists = lists_,
                  .sharing = sharing_,
                  .lanes = lanes_,
                  .ready = [this](const Context& ctx) { return ready(ctx); }}),
      credentials_(spec_, upstream_, status_, connection_, lists_, lanes_),
      placer_(connection_, sharing_, audiences_, lanes_),
      parked_(
          {.total = options_.max_parked, .per_principal = options_.max_parked_per_principal, .ttl = options_.park_ttl}),
      legacy_tasks_(spec_, options_, scope_,
                    [this](Json task) { status_.tell({.kind = SourceChange::Kind::kTask, .task = std::move(task)}); }),
      modern_tasks_(spec_, connection_, sharing_, placer_),
      following_({.spec = spec_,
                  .status = status_,
                  .scope = scope_,
                  .connection = connection_,
                  .legacy_tasks = legacy_tasks_,
                  .modern_tasks = modern_tasks_}),
      calls_({.spec = spec_,
              .options = options_,
              .scope = scope_,
              .upstream = upstream_,
              .connection = connection_,
              .sharing = sharing_,
              .placer = placer_,
              .parked = parked_,
              .legacy_tasks = legacy_tasks_,
              .modern_tasks = modern_tasks_}) {}

McpSource::~McpSource() = default;

std::shared_ptr<Lanes> McpSource::make_lanes() {
    return std::make_shared<Lanes>(
        [this](const mcp::ClientCapabilities& declare, std::function<void(Kinds)> announced) {
            return make_lane_client(declare, std::move(announced));
        },
        options_.starts,
        Lanes::Limits{.per_key = spec_.max_lanes,
                      .total = options_.max_lanes_total,
                      .waiting = options_.max_waiting,
                      .queue_timeout = spec_.timeout,
                      .idle_close = spec_.idle_close},
        Lanes::Lists{
            .read = [this](const Context& ctx, mcp::Client& client, const LaneKey& key, InventoryPtr before,
                           Kinds kinds) { return audiences_.read_lane(ctx, client, key, std::move(before), kinds); },
            .changed = [this](const LaneKey& key, Kinds announced) { on_lane_lists(key, announced); }},
        [this](Link& link) { return sharing_.check_lane(link); });
}

void McpSource::start() {
    if (status_.state() != SourceState::kIdle || status_.stopping()) return;
    status_.set_state(SourceState::kStarting, "it is starting");
    scope_.spawn(run());
}

Task<void> McpSource::stop() {
    status_.stop();
    scope_.cancel();
    status_.pulse();
    legacy_tasks_.close();
    // Concurrently: every connection may take as long as its server takes to exit.
    Scope ending(Context::background());
    ending.spawn(parked_.close());
    ending.spawn(lanes_->close());
    if (connection_.link()) ending.spawn(close_link(connection_.link()));
    co_await ending.join();
    co_await scope_.join();
    upstream_.close();
    lists_.replace(SourceLists::nothing());
    status_.set_health(SourceHealth::kCancelled);
    status_.set_state(SourceState::kDown, "it was stopped");
}

Task<void> McpSource::run() {
    // A server that the gateway cannot start without has to be reached first.
    const bool may_wait = idleness_.lazy() && spec_.on_connect_error != OnConnectError::kFail;
    InventoryPtr kept = lists_.recall();
    const bool known = kept != nullptr;
    if (known) publish(std::move(kept));
    if (known && may_wait) {
        status_.set_health(SourceHealth::kHealthy);
        status_.set_state(SourceState::kAsleep, {});
        if (!co_await connection_.wait_until_needed()) co_return;
    }
    while (!status_.stopping()) {
        auto made = make_shared_client();
        if (!made) {
            status_.problem(made.error());
            status_.set_health(SourceHealth::kTaskMissing);
            status_.set_state(SourceState::kDown, reason(made.error()));
            co_return;
        }
        connection_.use(*std::move(made));
        if (!co_await connection_.open()) co_return;
        lists_.mark_stale(Kinds().set());
        if (!co_await stay_up()) co_return;
        lists_.on_closed();
        following_.on_closed();
        if (!co_await connection_.close_until_needed()) co_return;
    }
}

Result<std::unique_ptr<mcp::Client>> McpSource::make_shared_client() {
    mcp::SessionHandlers handlers;
    handlers.on_list_changed = [this](mcp::ListKind kind) {
        lists_.mark_stale(kinds_of(kind));
        status_.pulse();
    };
    handlers.on_list_announced = [this](mcp::ListKind kind) { lists_.announce(kinds_of(kind)); };
    handlers.on_resource_updated = [this](const std::string& uri) {
        status_.tell({.kind = SourceChange::Kind::kResourceUpdated, .uri = uri});
    };
    handlers.on_task_changed = [this](const mcp::TaskState& task) { following_.on_task(task); };
    handlers.on_gap = [this] { following_.on_gap(); };
    // All clients share this connection, so it declares no client's capabilities.
    return upstream_.make_client(mcp::ClientCapabilities{}, std::move(handlers));
}

Result<std::unique_ptr<mcp::Client>> McpSource::make_lane_client(const mcp::ClientCapabilities& declare,
                                                                 std::function<void(Kinds)> announced) {
    // Set once the client exists; it calls no handler before that.
    const auto self = std::make_shared<const mcp::Client*>(nullptr);
    mcp::SessionHandlers handlers;
    handlers.on_task_changed = [this, self](const mcp::TaskState& task) { legacy_tasks_.heard(**self, task); };
    handlers.on_list_announced = [announced = std::move(announced)](mcp::ListKind kind) { announced(kinds_of(kind)); };
    // These capabilities are declared so that the server can ask in the legacy way.
    const bool legacy = declare.elicitation || declare.sampling || declare.roots;
    GANTRY_TRY(auto client, upstream_.make_client(declare, std::move(handlers), legacy));
    *self = client.get();
    return client;
}

void McpSource::on_connected() {
    sharing_.on_connected();
    audiences_.on_new_inventory();
    // The lists are read before the source counts as ready; the client marks its own caches as stale.
    lists_.on_connected();
}

Task<bool> McpSource::stay_up() {
    const Context ctx = scope_.context();
    idleness_.begin(SteadyClock::now());
    while (!status_.stopping()) {
        const bool up = connection_.is_up();
        if (lists_.stale() && up) {
            co_await list_again();
            continue;
        }
        const bool over = idleness_.over();
        if (idleness_.lazy() && up && unused() && over) co_return true;
        // A connection in use at its idle timeout is checked again later.
        const Duration look = std::max<Duration>(spec_.idle_close / 4, milliseconds(10));
        const Context until = !idleness_.lazy() ? ctx : over ? ctx.within(look) : ctx.until(idleness_.timeout());
        if (!co_await status_.wait(until) && ctx.cancel().cancelled()) break;
    }
    co_return false;
}

bool McpSource::unused() const noexcept {
    return !idleness_.in_use() && !connection_.leased() && following_.idle() && parked_.size() == 0;
}

/// A call is in flight, or the shared connection or a lane is leased.
bool McpSource::busy() const noexcept {
    // While the server is idle, run() holds the shared link.
    const bool leased = connection_.leased() && status_.state() != SourceState::kAsleep;
    return idleness_.in_use() || leased || lanes_->busy();
}

Task<void> McpSource::list_again() {
    const Context ctx = scope_.context();
    if (!co_await lists_.pause(ctx)) co_return;
    const bool mirrors_headers = connection_.link()->modern() && upstream_.attributes_requests();
    const std::uint64_t credentials = credentials_.changes();
    SourceLists::Reading reading = co_await lists_.read(ctx, *connection_.link(), mirrors_headers);
    if (status_.stopping()) co_return;
    if (!reading.inventory) {
        lists_.put_back(reading);
        auto paused = co_await sleep_for(ctx, options_.retry_first);
        static_cast<void>(paused);  // the caller checks whether this is still relevant
        co_return;
    }
    if (reading.refused && co_await credentials_.renew(ctx, credentials)) {
        lists_.announce(reading.announced);  // a new connection is listed anyway
        co_return;
    }
    lists_.accept(reading);
    publish(std::move(reading.inventory));
    lists_.remember();
    // The announcement is forwarded even if the lists read the same: what changed may be what they refer to.
    if (reading.announced.any()) {
        audiences_.on_announcement();
        status_.tell({.kind = SourceChange::Kind::kAnnounced, .kinds = reading.announced});
    }
    if (!connection_.is_up()) co_return;
    status_.set_state(SourceState::kReady, lists_.trouble());
    if (following_.wants_resources()) static_cast<void>(co_await following_.apply(ctx));
}

void McpSource::publish(InventoryPtr inventory) {
    status_.pulse();
    if (!lists_.replace(std::move(inventory))) return;
    audiences_.on_new_inventory();
    status_.tell({.kind = SourceChange::Kind::kInventory});
}

void McpSource::on_lane_lists(const LaneKey& key, Kinds announced) {
    audiences_.on_lane_change();
    SourceChange change{.kind = SourceChange::Kind::kAudience, .kinds = announced};
    if (announced.any()) {
        change.announced_to = [weak = weak_from_this(), key](const Audience& audience) {
            const auto self = weak.lock();
            const auto lane = self ? self->sharing_.lane_of(audience) : std::nullopt;
            return lane && lane->key == key;
        };
    }
    status_.tell(change);
}

void McpSource::retry_now() {
    lists_.read_now();
    connection_.retry_now();
}

Task<Result<void>> McpSource::refresh(const Context& ctx) {
    const bool slept = status_.state() == SourceState::kAsleep;
    const std::uint64_t begun = lists_.begun();
    const std::uint64_t failures = connection_.failures();
    const Context limited = ctx.within(options_.connect_timeout.value_or(connect_limit(spec_)) + spec_.timeout);
    Result<void> waited;
    {
        const Idleness::InUse in_use(idleness_);
        connection_.wake();
        lists_.mark_stale(Kinds().set());
        status_.pulse();
        retry_now();
        // A listing in progress may have missed the change the caller knows of.
        while (!lists_.finished_after(begun) && connection_.failures() == failures && !status_.stopping() && waited)
            waited = co_await status_.wait(limited);
    }
    // A server that was idle before may idle again at once.
    if (slept && !idleness_.in_use()) {
        idleness_.may_idle_at_once();
        status_.pulse();
    }
    if (lists_.finished_after(begun)) co_return Result<void>();
    GANTRY_CO_CHECK(ctx.check());
    const std::string why = status_.stopping()          ? "it was stopped"
                            : status_.trouble().empty() ? "it does not answer"
                                                        : status_.trouble();
    co_return fail(Error(ErrorCode::kConnection, "server '" + spec_.name + "' could not be refreshed: " + why)
                       .on_server(spec_.name));
}

Task<Result<void>> McpSource::ready(const Context& ctx) {
    // The client recovers lost connections by itself: it waits for a few attempts and reports the outcome.
    const bool was_ready =
        connection_.link() && connection_.link()->client().state() == mcp::ConnectionState::kReconnecting;
    const Context waiting = ctx.within(spec_.timeout);
    connection_.wake();
    while (status_.state() == SourceState::kStarting && !was_ready && !lists_.read_here() && !status_.stopping()) {
        if (!co_await status_.wait(waiting)) break;
    }
    GANTRY_CO_CHECK(ctx.check());
    if (connected() || (!status_.stopping() && was_ready && status_.state() != SourceState::kDown))
        co_return Result<void>();
    const std::string why = status_.trouble().empty() ? "it was not started" : status_.trouble();
    co_return fail(
        Error(ErrorCode::kConnection, "server '" + spec_.name + "' is not available: " + why).on_server(spec_.name));
}

Task<Result<Output>> McpSource::execute(const Context& ctx, const AdmittedCall& call, ReplyLine& line) {
    const Idleness::InUse in_use(idleness_);
    if (!connected()) [[unlikely]] {
        GANTRY_CO_CHECK(co_await ready(ctx));
    }
    const std::uint64_t credentials = credentials_.changes();
    auto output = co_await calls_.run(ctx, call, line);
    if (!output && is_refusal(output.error()) && co_await credentials_.renew(ctx, credentials)) [[unlikely]] {
        // Rejected before it ran, so it may be repeated.
        output = co_await calls_.run(ctx, call, line);
    }
    if (!output && lost_connection(output.error())) [[unlikely]]
        connection_.suspect();
    if (!output) co_return fail(calls_.placed(output.error(), call));
    if (output->stream) {
        output->stream = std::make_unique<HeldStream>(weak_from_this().lock(), std::move(output->stream));
    }
    co_return output;
}

void McpSource::roots_changed(const Principal& principal, const ClientTraits& client) {
    if (status_.stopping() || !connection_.link()) return;
    // The set of capabilities the lanes were opened with: that of a client that can be asked during a call.
    const ForwardedCapabilitiesPtr forwarded = sharing_.forwarded(client, true, false);
    if (forwarded->tells_roots() && sharing_.may_ask(client, *forwarded))
        lanes_->roots_changed(sharing_.lane_key(principal, client, *forwarded, true));
}

void McpSource::client_gone(const std::string& session) {
    lanes_->forget(std::string(kClientOwner) + session);
}

}  // namespace gantry::gateway
