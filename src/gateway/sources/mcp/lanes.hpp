#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gateway/model/item.hpp"
#include "gateway/sources/mcp/link.hpp"
#include "io/scope.hpp"
#include "io/sync.hpp"

namespace gantry::gateway {

class StartLimiter;
class Lanes;

/// How the owner of lanes that belong to one session of a client begins.
inline constexpr std::string_view kClientOwner = "client ";

/// Whose lanes they are. Callers that differ in any part never meet on one.
struct LaneKey {
    /// "principal ID", "client SESSION".
    std::string owner;
    /// What the server is told about the client: canonical JSON.
    std::string capabilities = "{}";
    /// The part of it that a server's lists may depend on.
    std::string offered = "{}";

    auto operator<=>(const LaneKey&) const = default;
};

enum class LaneUse : std::uint8_t {
    kTogether,  ///< one lane serves any number of calls at once
    kInTurn,    ///< one call at a time, a bounded number of lanes
    kOnce,      ///< a lane for one call, closed after it
};

struct Lane;

/// The right to use a link; a lane is free again when the last of its leases is gone.
class [[nodiscard]] Lease {
public:
    Lease() = default;
    /// Of a link that needs no lane.
    explicit Lease(LinkPtr link) noexcept : link_(std::move(link)) {}
    Lease(std::shared_ptr<Lanes> lanes, std::shared_ptr<Lane> lane);
    Lease(Lease&& other) noexcept = default;
    Lease& operator=(Lease&& other) noexcept {
        release();
        lanes_ = std::move(other.lanes_);
        lane_ = std::move(other.lane_);
        link_ = std::move(other.link_);
        return *this;
    }
    ~Lease() { release(); }

    Link& operator*() const noexcept { return *link_; }
    Link* operator->() const noexcept { return link_.get(); }
    explicit operator bool() const noexcept { return link_ != nullptr; }
    /// Another right to the same link.
    Lease again() const;
    void release();
    /// The lane serves calls from now on, and so stays open for a while when it is idle.
    void keep_open() noexcept;

private:
    std::shared_ptr<Lanes> lanes_;
    std::shared_ptr<Lane> lane_;
    LinkPtr link_;
};

/// Connections that some callers have for themselves, started when needed and closed when idle.
///
/// Starting a lane is one start whoever waits for it. Waiting callers are served in their order. Belongs to one loop.
class Lanes : public std::enable_shared_from_this<Lanes> {
public:
    /// Makes a client that declares these capabilities and says which lists its server announced to have changed.
    using Make = std::function<Result<std::unique_ptr<mcp::Client>>(const mcp::ClientCapabilities&,
                                                                    std::function<void(Kinds)> announced)>;
    /// What lanes need to follow the lists of their own servers. Unset members: they do not.
    struct Lists {
        /// Reads the lists of `kinds`; `before` is null the first time.
        std::function<Task<Result<InventoryPtr>>(const Context& ctx, mcp::Client& client, const LaneKey& key,
                                                 InventoryPtr before, Kinds kinds)>
            read = {};
        /// inventory() has a new answer for `key`; `announced` is what the server said had changed, if it did.
        std::function<void(const LaneKey& key, Kinds announced)> changed = {};
    };
    /// Refuses a connection that cannot be used.
    using Check = std::function<Result<void>(Link& link)>;
    struct Limits {
        std::size_t per_key = 8;
        std::size_t total = 256;
        std::size_t waiting = 1000;  // per key
        /// How long one waits at most: calls whose clients were asked and never came back hold their lanes for longer.
        Duration patience = seconds(30);
        Duration idle_close = std::chrono::minutes(10);
        /// The same for lanes that have only been asked for their lists.
        Duration unused_close = std::chrono::minutes(1);
    };

    Lanes(Make make, std::shared_ptr<StartLimiter> starts, Limits limits, Lists lists, Check check);
    ~Lanes();

    /// Waits for a lane of that key that stands. `only`: an item that not every lane of the key may offer; where one
    /// is known to, the lease is for that one. kLimit when there are too many, too many wait, or none got free.
    Task<Result<Lease>> acquire(const Context& ctx, LaneKey key, mcp::ClientCapabilities declare, LaneUse use,
                                ItemPtr only = nullptr);

    /// The same where a lane that serves calls together stands already; empty: acquire() has to be awaited.
    Lease try_acquire(const LaneKey& key);

    /// What the lane that serves this owner offers, once its server announced that its lists changed; null before, and
    /// when there is no such lane.
    InventoryPtr inventory(const LaneKey& key) const;
    /// Such lists are being read.
    bool is_listing(const LaneKey& key) const;
    /// Some lane has an inventory of its own.
    bool any_inventory() const noexcept;

    /// The roots of that owner are others now. A server asks for them when it hears so and can only be answered while a
    /// call is in flight: it hears at once on lanes in use, on others just before the next call.
    void roots_changed(const LaneKey& key);
    /// Lanes of an owner that is gone: idle ones at once, others when they are given back.
    void forget(const std::string& owner);
    /// The same for all: who comes next gets a new one.
    void forget_all();
    /// Ends all of them in bounded time; required before destruction.
    Task<void> close();

    std::size_t open() const noexcept { return all_.size(); }
    /// Somebody has a lease.
    bool busy() const noexcept;

private:
    friend class Lease;
    struct Pool {
        std::vector<std::shared_ptr<Lane>> lanes;
        std::deque<std::uint64_t> waiting;
    };

    std::shared_ptr<Lane> pick(Pool& pool, LaneUse use);
    std::shared_ptr<Lane> offering(const LaneKey& key, const ItemPtr& item) const;
    /// Returns when the caller may have it, or when it is leaving.
    Task<Result<void>> wait_until_free(const Context& ctx, Lane& lane);
    void announced(const std::shared_ptr<Lane>& lane, Kinds kinds);
    Task<void> read_lists(std::shared_ptr<Lane> lane);
    void forget_lists(Lane& lane);
    Duration idle_limit(const Lane& lane) const noexcept;
    Result<std::shared_ptr<Lane>> open_lane(const LaneKey& key, const mcp::ClientCapabilities& declare, LaneUse use);
    bool may_open(const Pool& pool, LaneUse use) const;
    /// Room for one more, made by closing the longest idle one if need be.
    bool make_room();
    Task<void> start(std::shared_ptr<Lane> lane);
    Task<void> end(std::shared_ptr<Lane> lane);
    void let_go(const std::shared_ptr<Lane>& lane);
    void drop(const std::shared_ptr<Lane>& lane);
    void stop_waiting(const LaneKey& key, std::uint64_t ticket);
    void give_back(const std::shared_ptr<Lane>& lane);
    Task<void> close_idle();
    static Task<void> tell_roots(Context ctx, std::shared_ptr<Lane> lane);

    Make make_;
    std::shared_ptr<StartLimiter> starts_;
    Limits limits_;
    Lists lists_;
    Check check_;
    std::map<LaneKey, Pool> pools_;
    std::vector<std::shared_ptr<Lane>> all_;
    std::uint64_t next_ticket_ = 0;
    Event changed_;
    bool closed_ = false;
    Scope scope_;
};

}  // namespace gantry::gateway
