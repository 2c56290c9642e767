#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "gantry/authorization.hpp"
#include "gantry/error.hpp"
#include "gantry/fields.hpp"
#include "gantry/json.hpp"
#include "gantry/mcp/server.hpp"
#include "gantry/mcp/types.hpp"
#include "gantry/pending.hpp"

/// Talk to any MCP server in a few lines:
///
///     auto client = gantry::connect({.server = gantry::StdioServer{.command = "npx", .args = {"-y", "some-server"}}});
///     if (!client) return report(client.error());
///     for (const gantry::Tool& tool : *client->list_tools()) std::puts(tool.name().c_str());
///     auto result = client->call("echo", {{"message", "hi"}});
///     if (result) std::puts(result->text().c_str());
///
/// Every operation exists twice: `call` blocks, `call_async` can be awaited. Failures are returned as Result;
/// gantry/exceptions.hpp has a throwing view.
namespace gantry {

/// A server started as a child process, without a shell. The child and all its descendants end with the client.
struct StdioServer {
    std::string command;
    std::vector<std::string> args;
    /// Added to a minimal environment (PATH, HOME, LANG and the like); nothing else of this process is inherited.
    Fields env;
    std::string cwd;
    /// Receives each line the child writes to stderr. If empty, the lines are dropped.
    std::function<void(std::string_view)> on_stderr;
    /// Grace period after closing the child's stdin, and again after SIGTERM; then the child is killed.
    std::chrono::milliseconds stop_timeout{2'000};
};

/// A server reached by URL.
struct HttpServer {
    enum class Transport : std::uint8_t {
        kAuto,  ///< Streamable HTTP, falling back to HTTP+SSE if the server only supports that
        kStreamableHttp,
        kSse,
    };
    std::string url;
    /// Sent with every request to this server's origin, never to another origin.
    Fields headers;
    Transport transport = Transport::kAuto;
    /// What to do when the server requires OAuth; see authorization.hpp. Empty: a 401 is an error.
    std::optional<Authorization> authorization;
    /// PEM file with root certificates that replace the system's.
    std::string ca_file;
};

enum class Era : std::uint8_t {
    kAuto,    ///< detect, and remember the result for a day
    kLegacy,  ///< 2024-11-05 … 2025-11-25: opens with initialize
    kModern,  ///< 2026-07-28: stateless
};

/// Where the result of Era::kAuto detection is cached. An entry expires after a day and is dropped as soon as it proves
/// wrong; the server is then probed again.
enum class EraMemory : std::uint8_t {
    kNone,     ///< probe at every connect
    kProcess,  ///< shared by all clients of this process
    kUser,     ///< also in a small private file ($XDG_CACHE_HOME/gantry/eras.json) shared with the user's other
               ///< programs; it identifies servers by hash only
};

/// When the server is started or reached.
enum class Connect : std::uint8_t {
    kEager,  ///< by connect()
    kLazy,   ///< by the first operation; connect() contacts nothing and fails only for unusable options
};

/// Disconnected → Connecting → Connected → Reconnecting → Connected …
/// Connecting leads to Disconnected when ConnectOptions::connect_retries are exhausted, Reconnecting when
/// reconnect_retries are; close() does from any state.
enum class ConnectionState : std::uint8_t { kDisconnected, kConnecting, kConnected, kReconnecting };
std::string_view to_string(ConnectionState state) noexcept;

/// Handlers for requests and notifications of the server. A capability is declared exactly if its handler is set.
/// Handlers run on a thread of their own and may block; the same handler may run several times concurrently.
struct Handlers {
    /// Answers a form. Missing fields that have a default are filled in afterwards.
    std::function<Result<mcp::ElicitResult>(const mcp::ElicitParams&)> elicit;
    bool elicit_by_url = false;
    std::function<Result<mcp::CreateMessageResult>(const mcp::CreateMessageParams&)> sample;
    bool sample_with_tools = false;
    /// The directories and files the server may work in; see also Client::set_roots and Client::roots_changed.
    std::function<Result<std::vector<mcp::Root>>()> roots;

    /// The following run on Gantry's thread and must not block.
    std::function<void(const mcp::LogMessage&)> on_log;
    std::function<void(std::string_view what)> on_list_changed;  ///< "tools", "resources" or "prompts"
    std::function<void(const std::string& uri)> on_resource_updated;
    /// Called for every change of Client::state(), the last time by close().
    std::function<void(ConnectionState)> on_state;
    /// Called when the server reports a change of a task. Reporting is optional; ToolTask::status() always works.
    std::function<void(const mcp::TaskState&)> on_task_changed;
    /// Called for each list entry that violates the specification and is skipped; the rest of the list is usable.
    std::function<void(const Error&)> on_skipped;
};

/// One message or HTTP exchange as it crossed the wire, with secrets masked.
struct WireEvent {
    bool outgoing = false;
    std::string text;
};

/// Whether the program may use this tool of a server.
using ToolFilter = std::function<bool(const mcp::Tool&)>;
/// A filter that admits the tools with these names, as the server calls them.
ToolFilter only_tools(std::vector<std::string> names);

struct ConnectOptions {
    /// Used in error messages. Empty: the command or host.
    std::string name;
    std::variant<StdioServer, HttpServer> server;
    Era era = Era::kAuto;
    EraMemory era_memory = EraMemory::kProcess;
    /// Ignore the cached era, probe the server, and cache the result.
    bool probe_again = false;
    Handlers handlers;
    /// Asked about each tool whenever tools are listed or one is called, so that its answer may change at any time:
    /// tools that it refuses are not listed, and calls of them fail with kDenied without being sent. A tool that the
    /// server does not list is judged by its name alone. Runs on Gantry's thread and must not block; an exception
    /// counts as a refusal. Empty: all tools.
    ToolFilter tool_filter;
    /// Name and version sent to the server.
    mcp::Implementation self{.name = "gantry", .version = "0.1.0"};
    std::optional<mcp::LogLevel> log_level;

    Connect connect = Connect::kEager;
    /// Timeout of one attempt to connect.
    std::chrono::milliseconds connect_timeout{30'000};
    /// How often an unreachable server is tried again, with back-off, before connecting has failed.
    int connect_retries = 0;
    /// How often a lost connection is tried again, with back-off, before the client counts as disconnected; the next
    /// operation then connects again. Unset: until close().
    std::optional<int> reconnect_retries;
    /// Timeout per call. Every progress notification restarts it; it is paused while a handler answers the server.
    std::chrono::milliseconds call_timeout{30'000};
    /// Upper bound for one call, whatever its progress.
    std::chrono::milliseconds call_cap{600'000};
    /// Budget for everything this client does, counted from connect(). Once it is exhausted, every operation fails
    /// with kTimeout. Zero: unlimited. Closing the connection does not count.
    std::chrono::milliseconds total_timeout{0};
    /// Largest message accepted from the server.
    std::size_t max_message_bytes = 64u << 20;
    /// Called for every message, on Gantry's thread.
    std::function<void(const WireEvent&)> on_wire;
};

struct CallOptions {
    std::optional<std::chrono::milliseconds> timeout;
    /// Runs on Gantry's thread and must not block.
    std::function<void(const mcp::Progress&)> on_progress;
    /// Validate the arguments against the tool's input schema before sending (kSchema, naming the place). The server
    /// validates in any case.
    bool validate = true;
    /// For start(): how long a 2025-11-25 server is asked to keep the task.
    std::optional<std::chrono::milliseconds> task_ttl;
};

/// A callable tool: of a server, or of this program (see local_tool.hpp). An agent uses both the same way.
class Tool {
public:
    using Run = std::function<Pending<mcp::CallToolResult>(JsonObject arguments, CallOptions options)>;
    Tool(std::string name, mcp::Tool definition, Run run);

    /// Includes the requested prefix; calls use the server's own name.
    const std::string& name() const noexcept { return name_; }
    /// Empty if the server sent none.
    const std::string& description() const noexcept;
    const Json& input_schema() const noexcept { return definition_.input_schema; }
    const mcp::Tool& definition() const noexcept { return definition_; }

    Result<mcp::CallToolResult> call(JsonObject arguments, CallOptions options = {}) const;
    Pending<mcp::CallToolResult> call_async(JsonObject arguments, CallOptions options = {}) const;

private:
    std::string name_;
    mcp::Tool definition_;
    Run run_;
};

struct ListToolsOptions {
    /// Names are returned as "<prefix>_<tool>".
    std::string prefix;
    /// Ask the server even if a cached answer is still fresh.
    bool refresh = false;
};

class ToolTask;

/// A connection to one server. Thread-safe; calls run concurrently. The destructor closes it.
/// After close() every operation fails with kInvalidArgument.
///
/// While disconnected, the next operation connects: with Connect::kLazy the first one, and any after the retries
/// were exhausted. Operations that start meanwhile share the attempt. If it fails, they return its error, and the next
/// one tries again. Connecting is limited by `connect_timeout` instead of the operation's own timeout.
class Client {
public:
    Client(Client&&) noexcept;
    Client& operator=(Client&&) noexcept;
    ~Client();

    /// What the server reported about itself on the latest connect; without content before the first.
    mcp::ServerDescription server() const;
    ConnectionState state() const;

    /// Returns all pages, without what ConnectOptions::tool_filter refuses. Cached while the server's answer is fresh
    /// (its ttl, or until a list_changed notification).
    Result<std::vector<Tool>> list_tools(ListToolsOptions options = {});
    Pending<std::vector<Tool>> list_tools_async(ListToolsOptions options = {});

    /// A tool that ran and failed is a value with is_error set. An Error means there is no answer: unknown tool,
    /// refused, timed out, connection lost (kOutcomeUnknown if it may have run; such a call is never retried for you).
    Result<mcp::CallToolResult> call(std::string tool, JsonObject arguments = {}, CallOptions options = {});
    Pending<mcp::CallToolResult> call_async(std::string tool, JsonObject arguments = {}, CallOptions options = {});

    /// Starts the tool as a task that runs in the background: on a 2025-11-25 server if the tool allows it, since
    /// 2026-07-28 if the server decides to. Any other server runs the tool to its end, and the handle is already
    /// finished.
    Result<ToolTask> start(std::string tool, JsonObject arguments = {}, CallOptions options = {});
    Pending<ToolTask> start_async(std::string tool, JsonObject arguments = {}, CallOptions options = {});
    /// Handle of a task known by its id, e.g. from before a restart. If `tool` is empty, the result is not validated
    /// against the tool's output schema.
    ToolTask task(std::string id, std::string tool = {});
    /// Tasks the server keeps for this client. kUnsupported if it has no such list; since 2026-07-28 no server has one.
    Result<std::vector<mcp::TaskState>> list_tasks();
    Pending<std::vector<mcp::TaskState>> list_tasks_async();

    Result<std::vector<mcp::Resource>> list_resources();
    Pending<std::vector<mcp::Resource>> list_resources_async();
    Result<std::vector<mcp::ResourceTemplate>> list_resource_templates();
    Pending<std::vector<mcp::ResourceTemplate>> list_resource_templates_async();
    Result<mcp::ReadResourceResult> read_resource(std::string uri);
    Pending<mcp::ReadResourceResult> read_resource_async(std::string uri);

    Result<std::vector<mcp::Prompt>> list_prompts();
    Pending<std::vector<mcp::Prompt>> list_prompts_async();
    Result<mcp::GetPromptResult> get_prompt(std::string name, Fields arguments = {});
    Pending<mcp::GetPromptResult> get_prompt_async(std::string name, Fields arguments = {});

    Result<mcp::CompleteResult> complete(mcp::CompleteParams params);
    Pending<mcp::CompleteResult> complete_async(mcp::CompleteParams params);

    /// Subscribes to changes of this resource, reported to Handlers::on_resource_updated.
    Result<void> subscribe(std::string uri);
    Pending<void> subscribe_async(std::string uri);
    Result<void> unsubscribe(std::string uri);
    Pending<void> unsubscribe_async(std::string uri);

    Result<void> set_log_level(mcp::LogLevel level);
    Pending<void> set_log_level_async(mcp::LogLevel level);

    /// Replaces the answer of Handlers::roots by these roots and notifies a legacy server of the change.
    /// kInvalidArgument if that handler was not set: the roots capability must be declared when connecting.
    Result<void> set_roots(std::vector<mcp::Root> roots);
    Pending<void> set_roots_async(std::vector<mcp::Root> roots);
    /// Call when the answer of Handlers::roots changed: notifies a legacy server, which then asks again.
    Result<void> roots_changed();
    Pending<void> roots_changed_async();

    /// Health check: ping (legacy) or server/discover (modern).
    Result<void> ping();
    Pending<void> ping_async();

    /// Ends the session and the child process and waits for them, in bounded time. May be called twice.
    void close();
    /// Like close(), without blocking; the variant for coroutines that run on Gantry's thread.
    Pending<void> close_async();

    class Impl;  // internal
    explicit Client(std::shared_ptr<Impl> impl);

private:
    std::shared_ptr<Impl> impl_;
};

/// A tool running on the server as a task. Copies refer to the same task; dropping them does not cancel it.
/// After the client's close() every operation fails with kInvalidArgument.
class ToolTask {
public:
    /// Empty if the server answered immediately, without creating a task.
    const std::string& id() const noexcept;
    const std::string& tool() const noexcept;

    Result<mcp::TaskState> status() const;
    Pending<mcp::TaskState> status_async() const;
    /// Waits until the task ends, answering its input requests through Handlers. If `timeout` elapses first, fails
    /// with kTimeout; the task continues, and result() may be called again.
    Result<mcp::CallToolResult> result(std::optional<std::chrono::milliseconds> timeout = {}) const;
    Pending<mcp::CallToolResult> result_async(std::optional<std::chrono::milliseconds> timeout = {}) const;
    /// Asks the server to cancel the task. Best effort: status() shows whether it did.
    Result<void> cancel() const;
    Pending<void> cancel_async() const;

    struct Inside;  // internal
    explicit ToolTask(std::shared_ptr<const Inside> inside);

private:
    std::shared_ptr<const Inside> inside_;
};

/// Starts or reaches the server, detects its era and opens a session on the newest revision both sides support; see
/// ConnectOptions::connect.
Result<Client> connect(ConnectOptions options);
Pending<Client> connect_async(ConnectOptions options);

}  // namespace gantry
