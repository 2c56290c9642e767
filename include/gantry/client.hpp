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
/// Every operation exists twice: `call` blocks and `call_async` can be awaited. Values come back as
/// Result; gantry/exceptions.hpp has a throwing view.
namespace gantry {

using Fields = std::vector<std::pair<std::string, std::string>>;

/// A server to start as a child process. No shell is involved. The child and all its descendants end with the client.
struct StdioServer {
    std::string command;
    std::vector<std::string> args;
    /// Added to a small base (PATH, HOME, LANG and the like); nothing else of ours reaches the child.
    Fields env;
    std::string cwd;
    /// Each line the child writes to stderr; dropped when empty.
    std::function<void(std::string_view)> on_stderr;
    /// How long the child may take to exit once its stdin is closed, and again after SIGTERM; then it is killed.
    std::chrono::milliseconds stop_timeout{2'000};
};

/// A server reached by URL.
struct HttpServer {
    enum class Transport : std::uint8_t {
        kAuto,  ///< Streamable HTTP, then HTTP+SSE if the server knows only that
        kStreamableHttp,
        kSse,
    };
    std::string url;
    /// Sent with every request to this server's origin and nowhere else.
    Fields headers;
    Transport transport = Transport::kAuto;
    /// What to do when the server asks for OAuth; see authorization.hpp. Empty: a 401 is an error.
    std::optional<Authorization> authorization;
    /// PEM file with the roots to trust instead of the system's.
    std::string ca_file;
};

enum class Era : std::uint8_t {
    kAuto,    ///< find out, and remember for a day
    kLegacy,  ///< 2024-11-05 … 2025-11-25: initialize first
    kModern,  ///< 2026-07-28: stateless
};

/// Where the verdict of Era::kAuto is kept. It is dated; after a day, or when it proves wrong, the server is asked
/// again.
enum class EraMemory : std::uint8_t {
    kNone,     ///< ask at every connect
    kProcess,  ///< shared by the clients of this process
    kUser,     ///< also in a small private file ($XDG_CACHE_HOME/gantry/eras.json) for the user's other programs;
               ///< servers are in it as hashes only
};

/// Disconnected → Connecting → Connected → Reconnecting → Connected …; close() leads from anywhere to Disconnected.
enum class ConnectionState : std::uint8_t { kDisconnected, kConnecting, kConnected, kReconnecting };
std::string_view to_string(ConnectionState state) noexcept;

/// What the server may ask of this program. A capability is declared exactly when its handler is set. Handlers
/// run on a thread of their own and may block, one call of each kind at a time is not guaranteed.
struct Handlers {
    /// Fill in a form. Missing fields with defaults are completed for you.
    std::function<Result<mcp::ElicitResult>(const mcp::ElicitParams&)> elicit;
    bool elicit_by_url = false;
    std::function<Result<mcp::CreateMessageResult>(const mcp::CreateMessageParams&)> sample;
    bool sample_with_tools = false;
    /// What the server may work in; see also Client::set_roots and Client::roots_changed.
    std::function<Result<std::vector<mcp::Root>>()> roots;

    /// These run on Gantry's thread and must not block.
    std::function<void(const mcp::LogMessage&)> on_log;
    std::function<void(std::string_view what)> on_list_changed;  ///< "tools", "resources" or "prompts"
    std::function<void(const std::string& uri)> on_resource_updated;
    /// Every change of Client::state(), the last one on close().
    std::function<void(ConnectionState)> on_state;
    /// A task moved on, if the server tells; ToolTask::status() knows in any case.
    std::function<void(const mcp::TaskState&)> on_task_changed;
    /// An entry of a list that breaks the rules and is left out; the rest of the list is usable.
    std::function<void(const Error&)> on_skipped;
};

/// One message or HTTP exchange as it crossed the wire, secrets masked.
struct WireEvent {
    bool outgoing = false;
    std::string text;
};

struct ConnectOptions {
    /// For error messages; the command or host when empty.
    std::string name;
    std::variant<StdioServer, HttpServer> server;
    Era era = Era::kAuto;
    EraMemory era_memory = EraMemory::kProcess;
    /// Ask which era the server speaks even if that is known, and remember the answer.
    bool probe_again = false;
    Handlers handlers;
    /// How this program introduces itself.
    mcp::Implementation self{.name = "gantry", .version = "0.1.0"};
    std::optional<mcp::LogLevel> log_level;

    std::chrono::milliseconds connect_timeout{30'000};
    /// Per call; each progress notification starts it anew, and it does not run while a handler answers the server …
    std::chrono::milliseconds call_timeout{30'000};
    /// … but no call lasts longer than this.
    std::chrono::milliseconds call_cap{600'000};
    /// Budget for everything this client does, counted from connect(): once it is spent, every operation fails with
    /// kTimeout. Zero: no such limit. Closing the connection is not part of it.
    std::chrono::milliseconds total_timeout{0};
    /// The largest message taken from the server.
    std::size_t max_message_bytes = 64u << 20;
    /// Sees every message; runs on Gantry's thread.
    std::function<void(const WireEvent&)> on_wire;
};

struct CallOptions {
    std::optional<std::chrono::milliseconds> timeout;
    /// Runs on Gantry's thread and must not block.
    std::function<void(const mcp::Progress&)> on_progress;
    /// Checks the arguments against the tool's input schema before sending (kSchema names the place). The
    /// server validates in any case.
    bool validate = true;
    /// For start(): how long a server of 2025-11-25 is asked to keep the task.
    std::optional<std::chrono::milliseconds> task_ttl;
};

/// A tool ready to be called: of a server, or of this program (see local_tool.hpp). An agent need not know which.
class Tool {
public:
    using Run = std::function<Pending<mcp::CallToolResult>(JsonObject arguments, CallOptions options)>;
    Tool(std::string name, mcp::Tool definition, Run run);

    /// With the prefix asked for; calls use the server's own name.
    const std::string& name() const noexcept { return name_; }
    /// Empty when the server gave none.
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
    /// Names become "<prefix>_<tool>".
    std::string prefix;
    /// Ask the server even if a fresh answer is at hand.
    bool refresh = false;
};

class ToolTask;

/// A connection to one server. Safe to use from several threads at once; calls run concurrently.
/// Leaving the scope closes everything. After close() every operation answers kInvalidArgument.
class Client {
public:
    Client(Client&&) noexcept;
    Client& operator=(Client&&) noexcept;
    ~Client();

    /// What the server said about itself on the latest connect.
    mcp::ServerDescription server() const;
    ConnectionState state() const;

    /// All pages. Served from memory while the server's answer is fresh (ttl, or until it says the list changed).
    Result<std::vector<Tool>> list_tools(ListToolsOptions options = {});
    Pending<std::vector<Tool>> list_tools_async(ListToolsOptions options = {});

    /// A tool that ran and failed is a value with is_error set. An Error means there is no answer: unknown tool,
    /// refused, timed out, connection lost (kOutcomeUnknown when it may have run; it is never repeated for you).
    Result<mcp::CallToolResult> call(std::string tool, JsonObject arguments = {}, CallOptions options = {});
    Pending<mcp::CallToolResult> call_async(std::string tool, JsonObject arguments = {}, CallOptions options = {});

    /// Starts the tool as a task that goes on while this program does other things: where the tool allows it on a
    /// server of 2025-11-25, where the server decides so since 2026-07-28. Any other server just runs the tool, and the
    /// handle comes back finished.
    Result<ToolTask> start(std::string tool, JsonObject arguments = {}, CallOptions options = {});
    Pending<ToolTask> start_async(std::string tool, JsonObject arguments = {}, CallOptions options = {});
    /// The handle of a task known by its id, e.g. from before a restart. `tool` may be empty: the result is then not
    /// checked against its schema.
    ToolTask task(std::string id, std::string tool = {});
    /// Tasks the server keeps for us. kUnsupported where there is no such list: since 2026-07-28 nobody has one.
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

    /// Ask to be told about changes of this resource (Handlers::on_resource_updated).
    Result<void> subscribe(std::string uri);
    Pending<void> subscribe_async(std::string uri);
    Result<void> unsubscribe(std::string uri);
    Pending<void> unsubscribe_async(std::string uri);

    Result<void> set_log_level(mcp::LogLevel level);
    Pending<void> set_log_level_async(mcp::LogLevel level);

    /// From now on the server is told these roots instead of what Handlers::roots says, and a legacy one that they
    /// changed. kInvalidArgument when that handler was not set: roots must be offered when connecting.
    Result<void> set_roots(std::vector<mcp::Root> roots);
    Pending<void> set_roots_async(std::vector<mcp::Root> roots);
    /// The answer of Handlers::roots changed: tells a legacy server, which then asks again.
    Result<void> roots_changed();
    Pending<void> roots_changed_async();

    /// Whether the server answers at all: ping (legacy) or discover (modern).
    Result<void> ping();
    Pending<void> ping_async();

    /// Says goodbye, ends the child process or session, waits for it in bounded time. May be called twice.
    void close();
    /// The same without waiting here; also the one for coroutines that run on Gantry's thread.
    Pending<void> close_async();

    class Impl;  // internal
    explicit Client(std::shared_ptr<Impl> impl);

private:
    std::shared_ptr<Impl> impl_;
};

/// A tool running at the server as a task. Copies stand for the same task. Dropping one leaves the task running;
/// after the client's close() every operation answers kInvalidArgument.
class ToolTask {
public:
    /// Empty when the server answered at once.
    const std::string& id() const noexcept;
    const std::string& tool() const noexcept;

    Result<mcp::TaskState> status() const;
    Pending<mcp::TaskState> status_async() const;
    /// Waits for the end, answering what the task asks on the way (Handlers). With `patience` the answer may be
    /// kTimeout; the task goes on, and the result may be asked for again.
    Result<mcp::CallToolResult> result(std::optional<std::chrono::milliseconds> patience = {}) const;
    Pending<mcp::CallToolResult> result_async(std::optional<std::chrono::milliseconds> patience = {}) const;
    /// Asks the server to stop. Whether it does shows in status().
    Result<void> cancel() const;
    Pending<void> cancel_async() const;

    struct Inside;  // internal
    explicit ToolTask(std::shared_ptr<const Inside> inside);

private:
    std::shared_ptr<const Inside> inside_;
};

/// Starts or reaches the server, finds out which era it speaks and opens a session on the newest revision both know.
Result<Client> connect(ConnectOptions options);
Pending<Client> connect_async(ConnectOptions options);

}  // namespace gantry
