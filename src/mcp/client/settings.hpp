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

/// Which of its lists a server says has changed.
enum class ListKind : std::uint8_t { kTools, kResources, kPrompts };

/// What the server may ask of us and tell us. A capability is declared exactly when its handler is set.
/// All run on the session's loop; a handler that has to wait does so in its task.
struct SessionHandlers {
    std::function<Task<Result<ElicitResult>>(const Context&, ElicitParams)> elicit;
    /// Whether `elicit` can also send a person to a URL.
    bool elicit_by_url = false;
    std::function<Task<Result<CreateMessageResult>>(const Context&, CreateMessageParams)> sample;
    /// Whether `sample` can be given tools.
    bool sample_with_tools = false;
    std::function<Task<Result<std::vector<Root>>>(const Context&)> roots;
    /// Whether the answer of `roots` may change and legacy servers will be told so; see Client::announce_roots.
    bool roots_may_change = false;

    std::function<void(const LogMessage&)> on_log;
    /// A list may have changed: the server said so, or nobody could have heard it say so.
    std::function<void(ListKind)> on_list_changed;
    /// The first of the two only, after on_list_changed.
    std::function<void(ListKind)> on_list_announced;
    std::function<void(const std::string& uri)> on_resource_updated;
    std::function<void(const TaskState&)> on_task_changed;
    /// A broken connection or stream was replaced: what was told in between is lost. The lists count as changed.
    std::function<void()> on_gap;
    /// Everything else the server notifies.
    std::function<void(const NotificationMessage&)> on_notification;
    /// An entry of a list that cannot be used and is left out, when the list is fetched; unset: on_oddity.
    std::function<void(const Error&)> on_skipped;
    /// Messages that were dropped because they fitted nothing.
    std::function<void(const Error&)> on_oddity;
};

enum class EraChoice : std::uint8_t { kAuto, kLegacy, kModern };

struct ClientSettings {
    Implementation self{.name = "gantry", .version = "0.1.0"};
    SessionHandlers handlers;
    /// What to declare at initialize instead of what follows from the handlers: for whoever relays, whose hooks
    /// (RelayHooks::on_request) answer. A modern server hears capabilities with each request.
    std::optional<ClientCapabilities> declare;

    /// kAuto probes; the others say what configuration knows.
    EraChoice era = EraChoice::kAuto;
    /// What initialize offers; never a modern revision.
    Revision newest_legacy = Revision::k2025_11_25;
    /// How long a server may take to answer the probe before it is taken for a legacy one.
    Duration probe_timeout = seconds(10);
    Duration connect_timeout = seconds(30);
    /// Remembers verdicts between connects; null probes every time.
    std::shared_ptr<EraCache> era_cache;

    CallTimes times;
    /// Messages beyond this are spooled to a file instead of held in memory; zero: only once requests are relayed.
    std::size_t hold_bytes = 0;
    /// Bounds on answers to the server's own requests that it has not taken.
    UnsentLimits unsent;
    /// Messages of this level and above are asked for with every request (modern) or once (legacy).
    std::optional<LogLevel> log_level;
    /// A list longer than this is refused: a server that hands out cursors for ever must end somewhere.
    std::size_t max_pages = 1000;
    std::size_t max_list_items = 100'000;
    /// Rounds of input a modern server may ask for within one call.
    int max_input_rounds = 10;
    /// Declares the tasks extension: the server may then turn a call into a task, which is followed to its end.
    bool accept_tasks = true;

    /// How many reconnect attempts a waiting call sees before it fails.
    int call_reconnect_attempts = 3;
    Duration reconnect_first = milliseconds(200);
    Duration reconnect_longest = seconds(60);
};

/// The capabilities that follow from the handlers, as `revision` spells them.
ClientCapabilities capabilities_of(const ClientSettings& settings, Revision revision);

}  // namespace gantry::mcp
