#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gantry/mcp/server.hpp"
#include "gantry/mcp/types.hpp"
#include "io/context.hpp"
#include "io/task.hpp"
#include "mcp/client/rpc.hpp"

namespace gantry::mcp {

class EraCache;

/// The list a server reports as changed.
enum class ListKind : std::uint8_t { kTools, kResources, kPrompts };

/// Handlers for requests and notifications of the server. A capability is declared exactly if its handler is set.
/// All run on the session's loop; a handler that has to wait does so in its task.
struct SessionHandlers {
    std::function<Task<Result<ElicitResult>>(const Context&, ElicitParams)> elicit;
    /// Whether `elicit` also supports URL mode.
    bool elicit_by_url = false;
    std::function<Task<Result<CreateMessageResult>>(const Context&, CreateMessageParams)> sample;
    /// Whether `sample` supports tools.
    bool sample_with_tools = false;
    std::function<Task<Result<std::vector<Root>>>(const Context&)> roots;
    /// Whether the answer of `roots` may change and legacy servers will be notified; see Client::announce_roots.
    bool roots_may_change = false;

    std::function<void(const LogMessage&)> on_log;
    /// A list may have changed: the server said so, or a notification may have been missed.
    std::function<void(ListKind)> on_list_changed;
    /// Only if the server said so; called after on_list_changed.
    std::function<void(ListKind)> on_list_announced;
    std::function<void(const std::string& uri)> on_resource_updated;
    std::function<void(const TaskState&)> on_task_changed;
    /// A broken connection or stream was replaced; notifications in between are lost. The lists count as changed.
    std::function<void()> on_gap;
    /// All other notifications of the server.
    std::function<void(const NotificationMessage&)> on_notification;
    /// A list entry that is unusable and skipped when the list is fetched; unset: on_oddity.
    std::function<void(const Error&)> on_skipped;
    /// Unexpected messages that were dropped.
    std::function<void(const Error&)> on_oddity;
};

enum class EraChoice : std::uint8_t { kAuto, kLegacy, kModern };

struct ClientSettings {
    Implementation self{.name = "gantry", .version = "0.1.0"};
    SessionHandlers handlers;
    /// Capabilities to declare at initialize instead of those derived from the handlers: for relays, whose hooks
    /// (RelayHooks::on_request) answer. A modern server receives capabilities with each request.
    std::optional<ClientCapabilities> declare;

    /// kAuto probes; the others are set by configuration.
    EraChoice era = EraChoice::kAuto;
    /// The version offered by initialize; never a modern one.
    Revision newest_legacy = Revision::k2025_11_25;
    /// Timeout of the probe; a server that does not answer within it is considered legacy.
    Duration probe_timeout = seconds(10);
    Duration connect_timeout = seconds(30);
    /// Caches verdicts between connects; null probes every time.
    std::shared_ptr<EraCache> era_cache;

    CallTimes times;
    /// Larger messages are spooled to a file instead of held in memory; zero: only once requests are relayed.
    std::size_t hold_bytes = 0;
    /// Bounds on answers to the server's own requests that it has not read yet.
    UnsentLimits unsent;
    /// Minimum log level, requested with every request (modern) or once (legacy).
    std::optional<LogLevel> log_level;
    /// Longer lists are rejected, as protection against a server that hands out cursors endlessly.
    std::size_t max_pages = 1000;
    std::size_t max_list_items = 100'000;
    /// Maximum input rounds of a modern server within one call.
    int max_input_rounds = 10;
    /// Declares the tasks extension: the server may then turn a call into a task, which is followed to its end.
    bool accept_tasks = true;

    /// How often a failed first connect is retried.
    int connect_retries = 0;
    /// How often a lost connection is retried before the client counts as disconnected. Unset: until close().
    std::optional<int> reconnect_retries = {};
    /// Number of reconnect attempts a waiting call spans before it fails.
    int call_reconnect_attempts = 3;
    Duration reconnect_first = milliseconds(200);
    Duration reconnect_longest = seconds(60);
};

/// The capabilities derived from the handlers, in the form of `revision`.
ClientCapabilities capabilities_of(const ClientSettings& settings, Revision revision);

}  // namespace gantry::mcp
