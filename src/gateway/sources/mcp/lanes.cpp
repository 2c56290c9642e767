#include "gateway/sources/mcp/lanes.hpp"

#include <algorithm>

#include "base/counted.hpp"
#include "base/try.hpp"
#include "gateway/sources/mcp/list_pause.hpp"
#include "gateway/sources/mcp/start_limiter.hpp"
#include "io/loop.hpp"
#include "mcp/protocol/method.hpp"

namespace gantry::gateway {

namespace {

constexpr Duration kTellWithin = seconds(10);

/// Nothing ran, so the caller may retry later.
Error none_free(std::string why) {
    return Error(ErrorCode::kLimit, std::move(why)).retryable(true);
}

}  // namespace

struct Lane {
    LaneKey key;
    LaneUse use = LaneUse::kTogether;
    LinkPtr link;
    std::size_t leases = 0;
    TimePoint idle_since = {};
    Event started;  // or failed
    std::optional<Error> failure;
    bool leaving = false;      // takes no more callers
    bool roots_stale = false;  // the server has yet to be notified of changed roots
    bool telling = false;      // that notification is in flight
    bool called = false;       // serves calls, not only lists
    std::size_t bound = 0;     // waiting calls that can use no other lane
    // Set once its server announces changed lists.
    InventoryPtr inventory;
    Kinds stale;  // lists to read
    Kinds news;   // those of them that the server announced
    bool listing = false;
    Duration pause = kListPause;  // before the next listing, also when nothing is stale in between

    bool idle() const noexcept { return leases == 0 && started.is_set() && !leaving; }
    bool stands() const noexcept {
        return !started.is_set() || link->client().state() == mcp::ConnectionState::kConnected;
    }
    bool offers(const ItemPtr& item) const noexcept {
        return inventory && std::ranges::find(inventory->items, item) != inventory->items.end();
    }
};

Lease::Lease(std::shared_ptr<Lanes> lanes, std::shared_ptr<Lane> lane)
    : lanes_(std::move(lanes)), lane_(std::move(lane)), link_(lane_->link) {
    ++lane_->leases;
}

Lease Lease::again() const {
    return lane_ ? Lease(lanes_, lane_) : Lease(link_);
}

void Lease::keep_open() noexcept {
    if (lane_) lane_->called = true;
}

void Lease::release() {
    if (lane_) lanes_->give_back(lane_);
    lane_.reset();
    lanes_.reset();
    link_.reset();
}

Lanes::Lanes(Make make, std::shared_ptr<StartLimiter> starts, Limits limits, Lists lists, Check check)
    : make_(std::move(make)),
      starts_(std::move(starts)),
      limits_(limits),
      lists_(std::move(lists)),
      check_(std::move(check)),
      scope_(Context::background()) {
    scope_.spawn(close_idle());
}

Lanes::~Lanes() = default;

Task<Result<Lease>> Lanes::acquire(const Context& ctx, LaneKey key, mcp::ClientCapabilities declare, LaneUse use,
                                   ItemPtr only) {
    if (closed_) co_return fail(ErrorCode::kConnection, "the source is stopped");
    if (pools_[key].waiting.size() >= limits_.waiting) {
        co_return fail(none_free("too many callers wait for a connection to this server"));
    }
    const Context waiting = ctx.within(limits_.queue_timeout);
    std::shared_ptr<Lane> lane = only ? offering(key, only) : nullptr;
    if (lane) {
        GANTRY_CO_CHECK(co_await wait_until_free(waiting, *lane));
        // The item went away with this connection; another lane may be used, whose server then rejects the call.
        if (lane->leaving) lane = nullptr;
    }
    if (lane) co_return Lease(shared_from_this(), lane);
    const std::uint64_t ticket = next_ticket_++;
    pools_[key].waiting.push_back(ticket);
    Lease lease;
    while (!lane) {
        if (closed_) co_return fail(ErrorCode::kConnection, "the source is stopped");
        // Looked up in each round: other tasks change the pools while this one waits.
        Pool& pool = pools_[key];
        if (pool.waiting.front() == ticket) {
            lane = pick(pool, use);
            if (!lane && may_open(pool, use)) {
                auto opened = open_lane(key, declare, use);
                if (!opened) {
                    stop_waiting(key, ticket);
                    co_return fail(opened.error());
                }
                lane = *std::move(opened);
            }
            if (lane) break;
        }
        if (auto waited = co_await changed_.wait(waiting); !waited) {
            stop_waiting(key, ticket);
            if (ctx.check()) co_return fail(none_free("all connections this caller may have are in use"));
            co_return fail(waited.error().within("waiting for a connection"));
        }
    }
    lease = Lease(shared_from_this(), lane);
    stop_waiting(key, ticket);
    GANTRY_CO_CHECK(co_await lane->started.wait(ctx));
    if (lane->failure) co_return fail(*lane->failure);
    if (lane->roots_stale) co_await tell_roots(ctx, lane);
    co_return lease;
}

Lease Lanes::try_acquire(const LaneKey& key) {
    const auto pool = pools_.find(key);
    if (closed_ || pool == pools_.end() || !pool->second.waiting.empty()) return {};
    const auto lane = pick(pool->second, LaneUse::kTogether);
    if (!lane || lane->use != LaneUse::kTogether || !lane->started.is_set() || lane->failure) return {};
    if (lane->roots_stale) return {};  // the server is notified first
    return Lease(shared_from_this(), lane);
}

InventoryPtr Lanes::inventory(const LaneKey& key) const {
    const auto pool = pools_.find(key);
    if (pool == pools_.end()) return nullptr;
    // Idle lanes are taken in order, so that a client that makes one call at a time stays on the first.
    const auto lane =
        std::ranges::find_if(pool->second.lanes, [](const auto& one) { return one->inventory != nullptr; });
    return lane == pool->second.lanes.end() ? nullptr : (*lane)->inventory;
}

bool Lanes::is_listing(const LaneKey& key) const {
    const auto pool = pools_.find(key);
    return pool != pools_.end() && std::ranges::any_of(pool->second.lanes, &Lane::listing);
}

bool Lanes::any_inventory() const noexcept {
    return std::ranges::any_of(all_, [](const auto& lane) { return lane->inventory != nullptr; });
}

void Lanes::announced(const std::shared_ptr<Lane>& lane, Kinds kinds) {
    if (closed_ || lane->leaving || !lists_.read) return;
    lane->stale |= kinds;
    lane->news |= kinds;
    if (!std::exchange(lane->listing, true)) scope_.spawn(read_lists(lane));
}

Task<void> Lanes::read_lists(std::shared_ptr<Lane> lane) {
    const Context ctx = scope_.context();
    while (lane->stale.any() && !lane->leaving) {
        if (auto waited = co_await sleep_for(ctx, lane->pause); !waited) break;
        const Kinds kinds = std::exchange(lane->stale, {});
        auto read = co_await lists_.read(ctx, lane->link->client(), lane->key, lane->inventory, kinds);
        // After a lost connection the lists may be different, or gone.
        if (!read || lane->leaving) break;
        lane->inventory = *std::move(read);
        lane->pause = list_pause(lane->inventory->items.size());
        lists_.changed(lane->key, std::exchange(lane->news, {}));
    }
    lane->listing = false;
    lane->stale.reset();
    changed_.pulse();
}

void Lanes::forget_lists(Lane& lane) {
    if (std::exchange(lane.inventory, nullptr) && lists_.changed) lists_.changed(lane.key, {});
}

std::shared_ptr<Lane> Lanes::offering(const LaneKey& key, const ItemPtr& item) const {
    const auto pool = pools_.find(key);
    if (pool == pools_.end()) return nullptr;
    const auto lane = std::ranges::find_if(pool->second.lanes, [&](const auto& one) { return one->offers(item); });
    return lane == pool->second.lanes.end() ? nullptr : *lane;
}

Task<Result<void>> Lanes::wait_until_free(const Context& ctx, Lane& lane) {
    const Counted bound(lane.bound);
    while (lane.use == LaneUse::kInTurn && lane.leases > 0 && !lane.leaving)
        GANTRY_CO_CHECK(co_await changed_.wait(ctx));
    co_return Result<void>();
}

std::shared_ptr<Lane> Lanes::pick(Pool& pool, LaneUse use) {
    for (const auto& lane : pool.lanes) {
        if (lane->leaving || lane->use == LaneUse::kOnce) continue;
        if (use == LaneUse::kTogether) return lane;
        const bool free = lane->leases == 0 && lane->bound == 0;
        if (use == LaneUse::kInTurn && free && lane->stands()) return lane;
    }
    return nullptr;
}

bool Lanes::may_open(const Pool& pool, LaneUse use) const {
    if (use != LaneUse::kTogether) return pool.lanes.size() < limits_.per_key;
    // The shared lane does not exist yet, or is leaving.
    return std::ranges::none_of(pool.lanes, [](const auto& lane) { return lane->use == LaneUse::kTogether; });
}

bool Lanes::make_room() {
    if (all_.size() < limits_.total) return true;
    std::shared_ptr<Lane> longest;
    for (const auto& lane : all_) {
        if (lane->idle() && (!longest || lane->idle_since < longest->idle_since)) longest = lane;
    }
    if (!longest) return false;
    // A leaving lane no longer counts towards the limit.
    drop(longest);
    return true;
}

Result<std::shared_ptr<Lane>> Lanes::open_lane(const LaneKey& key, const mcp::ClientCapabilities& declare,
                                               LaneUse use) {
    if (!make_room()) {
        return fail(none_free("the server has as many connections as are allowed, and all of them are in use"));
    }
    auto lane = std::make_shared<Lane>();
    GANTRY_TRY(auto client, make_(declare, [this, weak = std::weak_ptr<Lane>(lane)](Kinds kinds) {
                   if (const auto told = weak.lock()) announced(told, kinds);
               }));
    lane->key = key;
    lane->use = use;
    lane->link = std::make_shared<Link>(std::move(client));
    lane->idle_since = SteadyClock::now();
    // A child that dies while idle is not restarted until it is needed.
    lane->link->client().watch([this, weak = std::weak_ptr<Lane>(lane)](mcp::ConnectionState state) {
        const auto lost = weak.lock();
        if (!lost || state != mcp::ConnectionState::kReconnecting) return;
        forget_lists(*lost);
        if (lost->idle()) drop(lost);
    });
    all_.push_back(lane);
    pools_[key].lanes.push_back(lane);
    scope_.spawn(start(lane));
    return lane;
}

Task<void> Lanes::start(std::shared_ptr<Lane> lane) {
    const Context ctx = scope_.context();
    if (auto permit = co_await starts_->acquire(ctx); !permit) {
        lane->failure = permit.error();
    } else if (auto connected = co_await lane->link->client().connect(ctx); !connected) {
        lane->failure = connected.error();
    } else if (auto usable = check_ ? check_(*lane->link) : Result<void>(); !usable) {
        lane->failure = usable.error();
    }
    lane->idle_since = SteadyClock::now();
    lane->started.set();
    // A lane that no caller waits for any more is kept for the next one: a slow server has to become ready eventually.
    if (lane->failure) drop(lane);
    changed_.pulse();
}

Task<void> Lanes::end(std::shared_ptr<Lane> lane) {
    auto started = co_await lane->started.wait(Context::background());
    static_cast<void>(started);  // this wait cannot end early
    co_await lane->link->client().close();
}

void Lanes::drop(const std::shared_ptr<Lane>& lane) {
    if (lane->leaving) return;
    lane->leaving = true;
    std::erase(all_, lane);
    if (const auto pool = pools_.find(lane->key); pool != pools_.end()) {
        std::erase(pool->second.lanes, lane);
        if (pool->second.lanes.empty() && pool->second.waiting.empty()) pools_.erase(pool);
    }
    scope_.spawn(end(lane));
    changed_.pulse();
    if (!closed_) forget_lists(*lane);
}

void Lanes::stop_waiting(const LaneKey& key, std::uint64_t ticket) {
    const auto pool = pools_.find(key);
    if (pool == pools_.end()) return;
    std::erase(pool->second.waiting, ticket);
    if (pool->second.lanes.empty() && pool->second.waiting.empty()) pools_.erase(pool);
    changed_.pulse();
}

void Lanes::give_back(const std::shared_ptr<Lane>& lane) {
    --lane->leases;
    lane->idle_since = SteadyClock::now();
    if (closed_ || lane->leaving || lane->leases > 0) return;
    if (lane->use == LaneUse::kOnce || (lane->started.is_set() && !lane->stands())) drop(lane);
    changed_.pulse();
}

void Lanes::roots_changed(const LaneKey& key) {
    const auto pool = pools_.find(key);
    if (pool == pools_.end()) return;
    for (const auto& lane : pool->second.lanes) {
        if (lane->leaving) continue;
        lane->roots_stale = true;
        if (lane->leases > 0 && lane->started.is_set()) scope_.spawn(tell_roots(scope_.context(), lane));
    }
}

/// One notification at a time, however often the client reports changes: they must not queue up behind a server that
/// does not read.
Task<void> Lanes::tell_roots(Context ctx, std::shared_ptr<Lane> lane) {
    if (std::exchange(lane->telling, true)) co_return;
    while (std::exchange(lane->roots_stale, false)) {
        const auto session = lane->link->client().session();
        // A new connection has no roots to invalidate.
        if (!session) break;
        auto told =
            co_await session->rpc().notify(ctx.within(kTellWithin), std::string(mcp::method::kRootsChanged), Json());
        // An unwritable connection is lost, and the next one starts from scratch.
        if (!told) break;
    }
    lane->telling = false;
}

void Lanes::forget(const std::string& owner) {
    const auto all = all_;
    for (const auto& lane : all) {
        if (lane->key.owner == owner) let_go(lane);
    }
}

void Lanes::forget_all() {
    const auto all = all_;
    for (const auto& lane : all) let_go(lane);
}

void Lanes::let_go(const std::shared_ptr<Lane>& lane) {
    if (lane->idle()) {
        drop(lane);
    } else {
        lane->use = LaneUse::kOnce;
    }
}

Duration Lanes::idle_limit(const Lane& lane) const noexcept {
    return lane.called ? limits_.idle_close : std::min(limits_.idle_close, limits_.unused_close);
}

Task<void> Lanes::close_idle() {
    const Context ctx = scope_.context();
    while (!closed_) {
        Deadline next = Deadline::never();
        const TimePoint now = SteadyClock::now();
        const auto all = all_;
        for (const auto& lane : all) {
            // What a client unlocked in its server's lists lasts as long as its session.
            if (!lane->idle() || (lane->inventory && lane->key.owner.starts_with(kClientOwner))) continue;
            const Deadline due = Deadline::after(idle_limit(*lane), lane->idle_since);
            if (lane->idle_since + idle_limit(*lane) <= now) {
                drop(lane);
            } else {
                next = earlier(next, due);
            }
        }
        auto waited = co_await changed_.wait(ctx.until(next));
        if (!waited && ctx.cancel().cancelled()) break;
    }
}

bool Lanes::busy() const noexcept {
    return std::ranges::any_of(all_, [](const auto& lane) { return lane->leases > 0; });
}

Task<void> Lanes::close() {
    closed_ = true;
    const auto all = all_;
    for (const auto& lane : all) drop(lane);
    scope_.cancel();
    changed_.pulse();
    co_await scope_.join();
}

}  // namespace gantry::gateway
