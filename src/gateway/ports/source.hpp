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
    kStarting,  ///< being connected, for the first time or again
    kReady,
    kAsleep,  ///< closed because nobody used it; a call connects it again
    kDown,
};
/// "idle", "starting", "ready", "asleep", "down".
std::string_view to_string(SourceState state) noexcept;

/// How a source is, in the words health checks use.
enum class SourceHealth : std::uint8_t {
    kNotInitialized,  ///< never reached yet: not started, or on its way
    kTaskMissing,     ///< nobody keeps it going: its configuration can never work
    kCancelled,       ///< ended by us
    kCrashed,         ///< its process died or its connection broke; it is tried again
    kExited,          ///< its process ended in order although nobody asked it to; it is tried again
    kHealthy,         ///< connected, or asleep until it is called
};
/// "not_initialized", "server_task_missing", "server_cancelled", "server_crashed", "server_exited", "healthy".
std::string_view to_string(SourceHealth health) noexcept;

/// A caller, as far as a source's lists may depend on it. Borrows both; copy what has to last.
struct Audience {
    const Principal& principal;
    const ClientTraits& client;
    /// The server's questions can be passed on to this client.
    bool reachable = false;
};

/// Something happened at a source that others may want to know.
struct SourceChange {
    enum class Kind : std::uint8_t {
        kInventory,        ///< inventory() has a new answer
        kState,            ///< state() has
        kResourceUpdated,  ///< `uri`, the source's own
        kTask,             ///< `task` moved on
        kAnnounced,        ///< its lists of `kinds` changed, as it says itself; inventory() is up to date
        kAudience,         ///< inventory_for() may have new answers
    };
    Kind kind = Kind::kInventory;
    /// kAudience: the callers for whom the server announced that its lists of `kinds` changed. Unset: no announcement.
    std::function<bool(const Audience&)> announced_to = {};
    std::string uri = {};
    /// As the tasks extension spells it; `taskId` is the source's own.
    Json task = {};
    Kinds kinds = {};
};

/// Where tools come from: an MCP server, an OpenAPI document, our own code. A source lists and runs; who may call,
/// with what and for how long is settled before a call arrives here (gateway/pipeline). Belongs to one loop.
class Source {
public:
    virtual ~Source() = default;

    virtual const std::string& name() const noexcept = 0;
    /// What kind of source it is, as records say it.
    virtual std::string_view kind() const noexcept { return "mcp"; }
    virtual SourceState state() const noexcept = 0;
    /// Whether a connection stands now. A source without connections always has one.
    virtual bool connected() const noexcept { return state() == SourceState::kReady; }
    virtual SourceHealth health() const noexcept;
    /// Since when the connection stands; empty: there is none, or the source needs none.
    virtual std::optional<TimePoint> connected_since() const noexcept { return std::nullopt; }
    /// For people: why it is down; empty when it is not.
    virtual std::string trouble() const = 0;

    /// Begins to connect and to list, and keeps at it; returns at once.
    virtual void start() = 0;
    /// Ends everything in bounded time; required before destruction.
    virtual Task<void> stop() = 0;

    /// A call is running there, or an answer of it is still being read.
    virtual bool busy() const noexcept { return false; }
    /// Where it is waiting before the next attempt to connect: makes it now.
    virtual void hurry() {}
    /// Asks for its lists anew, whatever is known of them, connecting for that where it has to. Returns when
    /// inventory() is what was answered; an Error says why nothing could be had, and what was known stays.
    virtual Task<Result<void>> refresh(const Context&) { co_return Result<void>(); }

    /// What it offers as far as known now; never null. A source that is down offers nothing, unless what it offered is
    /// to be kept.
    virtual InventoryPtr inventory() const = 0;

    /// What this caller is offered where that differs from inventory(), which is what all others are offered; null: it
    /// does not differ, or is not known yet.
    virtual InventoryPtr inventory_for(const Audience&) { return nullptr; }
    /// False: nobody is offered anything but inventory(). Cheap; asked on every call.
    virtual bool varies() const noexcept { return false; }
    /// Whether inventory_for() has its final answer for this caller. A source that is down has nothing to find out.
    virtual bool is_surveyed(const Audience&) { return true; }
    /// Finds out what this caller is offered. Returns when is_surveyed(), when that failed, or when the context ends;
    /// what was begun goes on then, and ends in a kAudience change.
    virtual Task<void> survey(const Context&, const Audience&) { co_return; }

    /// Runs one call. An Error with rpc() is the source's own refusal, in its words.
    virtual Task<Result<Output>> execute(const Context& ctx, const AdmittedCall& call, ReplyLine& line) = 0;

    /// The resources whose changes somebody wants to know, the source's own URIs: the whole set, every time. Returns
    /// when the source has taken note, with those it will really tell about.
    virtual Task<std::set<std::string>> follow(const Context& ctx, std::set<std::string> uris) = 0;

    /// The same for tasks, by the ids execute() gave out. Whose they are was settled before.
    virtual Task<std::set<std::string>> follow_tasks(const Context&, std::set<std::string>) {
        co_return std::set<std::string>();
    }

    /// The caller says that its roots are others now. Told where a server was promised to be told.
    virtual void roots_changed(const Principal&, const ClientTraits&) {}

    /// The caller's legacy session is over: what was held for it alone may go.
    virtual void client_gone(const std::string& session) = 0;

    /// One watcher; called on the loop.
    virtual void watch(std::function<void(const SourceChange&)> tell) = 0;
};

}  // namespace gantry::gateway
