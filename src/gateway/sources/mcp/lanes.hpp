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

/// Prefix of owners that stand for one client session.
inline constexpr std::string_view kClientOwner = "client ";

/// Identifies a pool of lanes. Callers that differ in any part never share a lane.
struct LaneKey {
    /// "principal ID", "client SESSION".
    std::string owner;
    /// The client's capabilities as declared to the server: canonical JSON.
    std::string capabilities = "{}";
    /// The part of them that a server's lists may depend on.
    std::string offered = "{}";

    auto operator<=>(const LaneKey&) const = default;
};

enum class LaneUse : std::uint8_t {
    kTogether,  ///< one lane serves any number of concurrent calls
    kInTurn,    ///< one call at a time, on a bounded number of lanes
    kOnce,      ///< a lane per call, closed afterwards
};

struct Lane;

/// The right to use a link. A lane is free again when its last lease is released.
class [[nodiscard]] Lease {
public:
    Lease() = default;
    /// Leases a link that needs no lane.
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
    /// Another lease on the same link.
    Lease again() const;
    void release();
    /// Marks the lane as one that serves calls, so it stays open for a while when idle.
    void keep_open() noexcept;

private:
    std::shared_ptr<Lanes> lanes_;
    std::shared_ptr<Lane> lane_;
    LinkPtr link_;
};

/// A pool of connections that are private to some callers, opened on demand and closed when idle.
///
/// Callers that wait for the same lane share one start. Waiting callers are served in FIFO order. Bound to one loop.
class Lanes : public std::enable_shared_from_this<Lanes> {
public:
    /// Makes a client that declares these capabilities and reports which lists its server announced as changed.
    using Make = std::function<Result<std::unique_ptr<mcp::Client>>(const mcp::ClientCapabilities&,
                                                                    std::function<void(Kinds)> announced)>;
    /// Hooks for following the lists of each lane's own server. Unset members: lists are not followed.
    struct Lists {
        /// Reads the lists of `kinds`; `before` is null the first time.
        std::function<Task<Result<InventoryPtr>>(const Context& ctx, mcp::Client& client, const LaneKey& key,
                                                 InventoryPtr before, Kinds kinds)>
            read = {};
        /// inventory() has a new value for `key`; `announced` holds the changes the server announced, if any.
        std::function<void(const LaneKey& key, Kinds announced)> changed = {};
    };
    /// Rejects an unusable connection.
    using Check = std::function<Result<void>(Link& link)>;
    struct Limits {
        std::size_t per_key = 8;
        std::size_t total = 256;
        std::size_t waiting = 1000;  // per key
        /// Longest wait for a lane. Parked calls whose clients never come back hold their lanes for longer.
        Duration queue_timeout = seconds(30);
        Duration idle_close = std::chrono::minutes(10);
        /// Idle timeout of lanes that have only served lists.
        Duration unused_close = std::chrono::minutes(1);
    };

    Lanes(Make make, std::shared_ptr<StartLimiter> starts, Limits limits, Lists lists, Check check);
    ~Lanes();

    /// Waits for a connected lane of that key. `only`: an item that not every lane of the key may offer; where a lane
    /// is known to offer it, the lease is for that lane. Fails with kLimit when there are too many lanes or too many
    /// waiting callers, or when no lane became free in time.
    Task<Result<Lease>> acquire(const Context& ctx, LaneKey key, mcp::ClientCapabilities declare, LaneUse use,
                                ItemPtr only = nullptr);

    /// Fast path for a connected lane that serves concurrent calls; an empty lease means that acquire() has to be
    /// awaited.
    Lease try_acquire(const LaneKey& key);

    /// What this owner's lane offers, once its server announced changed lists; null before that, and when there is no
    /// such lane.
    InventoryPtr inventory(const LaneKey& key) const;
    /// Returns whether such lists are being read.
    bool is_listing(const LaneKey& key) const;
    /// Returns whether any lane has an inventory of its own.
    bool any_inventory() const noexcept;

    /// Reports that the owner's roots changed. A server reacts by requesting the roots, and the request can only be
    /// answered while a call is in flight. So lanes in use are notified at once, others just before their next call.
    void roots_changed(const LaneKey& key);
    /// Drops the lanes of an owner that is gone: idle ones at once, others when their leases are released.
    void forget(const std::string& owner);
    /// The same for all owners; later callers get new lanes.
    void forget_all();
    /// Closes all lanes in bounded time; required before destruction.
    Task<void> close();

    std::size_t open() const noexcept { return all_.size(); }
    /// Returns whether any lease is held.
    bool busy() const noexcept;

private:
    friend class Lease;
    struct Pool {
        std::vector<std::shared_ptr<Lane>> lanes;
        std::deque<std::uint64_t> waiting;
    };

    std::shared_ptr<Lane> pick(Pool& pool, LaneUse use);
    std::shared_ptr<Lane> offering(const LaneKey& key, const ItemPtr& item) const;
    /// Returns when the caller may use the lane, or when the lane is leaving.
    Task<Result<void>> wait_until_free(const Context& ctx, Lane& lane);
    void announced(const std::shared_ptr<Lane>& lane, Kinds kinds);
    Task<void> read_lists(std::shared_ptr<Lane> lane);
    void forget_lists(Lane& lane);
    Duration idle_limit(const Lane& lane) const noexcept;
    Result<std::shared_ptr<Lane>> open_lane(const LaneKey& key, const mcp::ClientCapabilities& declare, LaneUse use);
    bool may_open(const Pool& pool, LaneUse use) const;
    /// Makes room for one more lane, if need be by closing the one that was idle longest.
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
