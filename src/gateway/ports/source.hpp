#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "gantry/json.hpp"
#include "gateway/model/call.hpp"
#include "gateway/model/item.hpp"
#include "gateway/ports/output.hpp"
#include "gateway/ports/reply_line.hpp"
#include "io/context.hpp"
#include "io/task.hpp"

namespace gantry::gateway {

enum class SourceState : std::uint8_t {
    kIdle,      ///< not started
    kStarting,  ///< connecting, for the first time or again
    kReady,
    kAsleep,  ///< closed because it was unused; a call reconnects it
    kDown,
};
/// "idle", "starting", "ready", "asleep", "down".
std::string_view to_string(SourceState state) noexcept;

/// The condition of a source, in the terms of health checks.
enum class SourceHealth : std::uint8_t {
    kNotInitialized,  ///< never reached yet: not started, or connecting
    kTaskMissing,     ///< no task maintains it: its configuration can never work
    kCancelled,       ///< stopped by the gateway
    kCrashed,         ///< its process died or its connection broke; it is retried
    kExited,          ///< its process exited by itself without an error; it is retried
    kHealthy,         ///< connected, or asleep until the next call
};
/// "not_initialized", "server_task_missing", "server_cancelled", "server_crashed", "server_exited", "healthy".
std::string_view to_string(SourceHealth health) noexcept;

/// A caller, as far as a source's lists may depend on it. Borrows both members; copy what has to outlive the call.
struct Audience {
    const Principal& principal;
    const ClientTraits& client;
    /// The server's questions can be forwarded to this client.
    bool reachable = false;
};

/// A change at a source that the registry may have to act on.
struct SourceChange {
    enum class Kind : std::uint8_t {
        kInventory,        ///< inventory() has a new value
        kState,            ///< state() has a new value
        kResourceUpdated,  ///< `uri`, the source's own
        kTask,             ///< `task` progressed
        kAnnounced,        ///< the source announced changed lists of `kinds`; inventory() is up to date
        kAudience,         ///< inventory_for() may have new values
    };
    Kind kind = Kind::kInventory;
    /// kAudience: the callers to which the server announced changed lists of `kinds`. Unset: no announcement.
    std::function<bool(const Audience&)> announced_to = {};
    std::string uri = {};
    /// As the tasks extension spells it; `taskId` is the source's own.
    Json task = {};
    Kinds kinds = {};
};

/// Provides tools: an MCP server, an OpenAPI document, our own code. A source lists and runs; who may call, with what
/// and for how long is decided before a call arrives here (gateway/pipeline). Bound to one loop.
class Source {
public:
    virtual ~Source() = default;

    virtual const std::string& name() const noexcept = 0;
    /// The kind of source, as named in records.
    virtual std::string_view kind() const noexcept { return "mcp"; }
    virtual SourceState state() const noexcept = 0;
    /// Whether a connection is open. A source without connections always counts as connected.
    virtual bool connected() const noexcept { return state() == SourceState::kReady; }
    virtual SourceHealth health() const noexcept;
    /// When the connection was opened; empty: there is none, or the source needs none.
    virtual std::optional<TimePoint> connected_since() const noexcept { return std::nullopt; }
    /// A readable reason why it is down; empty when it is not.
    virtual std::string trouble() const = 0;

    /// Starts connecting and listing, with retries; returns at once.
    virtual void start() = 0;
    /// Stops everything in bounded time; required before destruction.
    virtual Task<void> stop() = 0;

    /// A call is running there, or its answer is still being read.
    virtual bool busy() const noexcept { return false; }
    /// Skips the back-off before the next attempt to connect, if there is one.
    virtual void retry_now() {}
    /// Reads the lists again, whatever is cached, connecting first if necessary. Returns when inventory() holds the
    /// result; an Error says why the lists could not be read, and the previous ones stay.
    virtual Task<Result<void>> refresh(const Context&) { co_return Result<void>(); }

    /// What the source offers, as far as known; never null. A source that is down offers nothing, unless it is
    /// configured to keep its items.
    virtual InventoryPtr inventory() const = 0;

    /// What this caller is offered, where it differs from inventory(), the common list; null: it does not differ, or is
    /// not known yet.
    virtual InventoryPtr inventory_for(const Audience&) { return nullptr; }
    /// False: inventory_for() returns null for all callers. Cheap; checked on every call.
    virtual bool varies() const noexcept { return false; }
    /// Whether inventory_for() is final for this caller. A source that is down has nothing to determine.
    virtual bool is_surveyed(const Audience&) { return true; }
    /// Determines what this caller is offered. Returns when is_surveyed(), on failure, or when the context ends; work
    /// that was begun then continues in the background and ends with a kAudience change.
    virtual Task<void> survey(const Context&, const Audience&) { co_return; }

    /// Runs one call. An Error with rpc() is the source's own refusal, passed on verbatim.
    virtual Task<Result<Output>> execute(const Context& ctx, const AdmittedCall& call, ReplyLine& line) = 0;

    /// Sets the resources that are followed for clients, by the source's own URIs: the whole set, every time. Returns
    /// when the source has applied it, with those whose changes it will really report.
    virtual Task<std::set<std::string>> follow(const Context& ctx, std::set<std::string> uris) = 0;

    /// The same for tasks, by the ids execute() issued. Ownership was checked before.
    virtual Task<std::set<std::string>> follow_tasks(const Context&, std::set<std::string>) {
        co_return std::set<std::string>();
    }

    /// The caller announced that its roots changed. Forwarded to servers that were promised notifications.
    virtual void roots_changed(const Principal&, const ClientTraits&) {}

    /// The caller's legacy session ended: resources held for it alone may be released.
    virtual void client_gone(const std::string& session) = 0;

    /// Sets the only watcher; called on the loop.
    virtual void watch(std::function<void(const SourceChange&)> tell) = 0;
};

}  // namespace gantry::gateway
