#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "mcp/handlers/server_call.hpp"
#include "mcp/handlers/task_table.hpp"
#include "mcp/handlers/typed_tool.hpp"
#include "mcp/server/backend.hpp"

namespace gantry::auth {
class Sealer;
}

namespace gantry::mcp {

using ToolHandler = std::function<Task<Result<CallToolResult>>(const Context&, ServerCall&, JsonObject arguments)>;
using PromptHandler = std::function<Task<Result<GetPromptResult>>(const Context&, ServerCall&, StringMap arguments)>;
/// `variables` are the values of the template's variables; empty for a plain resource.
using ResourceHandler =
    std::function<Task<Result<ReadResourceResult>>(const Context&, ServerCall&, std::string uri, StringMap variables)>;
/// Completes a partially typed argument; `settled` are the values of the others. The first 100 values are sent.
using Completer =
    std::function<Task<Result<Completion>>(const Context&, CompletionArgument argument, StringMap settled)>;
/// Runs any tool by name.
using ToolExecutor =
    std::function<Task<Result<CallToolResult>>(const Context&, std::string tool, JsonObject arguments)>;

struct ServerOptions {
    std::optional<std::string> instructions = {};
    /// Adding more tools fails.
    std::size_t max_tools = 100;
    /// Entries per page of a list.
    std::size_t page_size = 100;
    /// How long clients may cache a list or a resource, and in which scope.
    Duration ttl = Duration::zero();
    CacheScope cache_scope = CacheScope::kPrivate;
    /// Timeout for one run of a tool; zero: none. A task is limited by the ttl of its record instead.
    Duration call_timeout = Duration::zero();
    /// How long a client may take to return with answers, and how many rounds one call may need.
    Duration state_lifetime = std::chrono::minutes(15);
    std::int64_t max_rounds = 10;
    TaskLimits tasks = {};
    /// Declare the capability although nothing is registered yet, because something may be added later.
    bool declare_tools = false;
    bool declare_prompts = false;
    bool declare_resources = false;
    bool declare_logging = true;
    /// Authenticates clients; if unset, all of them are the same local user.
    std::function<Task<std::expected<std::shared_ptr<const Identity>, Refusal>>(const Context&, const RequestOrigin&)>
        identify = {};
    /// Receives notifications of clients, e.g. that their roots changed.
    std::function<void(const Peer&, std::string_view method, const Json& params)> on_notification = {};
};

class ServerCore;

/// An MCP server composed of C++ functions. Endpoints (HttpEndpoint, serve_lines) deliver requests of either era;
/// handlers use the newest revision and need not know which client they serve.
///
///     Server server({.name = "calculator", .version = "1"});
///     server.add_tool("add", "Adds two numbers",
///                     [](const AddArgs& args) -> Result<double> { return args.a + args.b; });
///
/// Handlers run on the loop; move blocking work to another thread. A tool's Error becomes a result with `isError`, or,
/// if it carries an RpcError, that JSON-RPC error. Arguments have been validated against the input schema. Adding,
/// replacing and removing is possible at any time; subscribed clients are notified. Single loop; call close() before
/// destruction if any tool has task support.
class Server final : public Backend {
public:
    /// Without a sealer, the state of multi-round requests does not survive a restart. `sealer` must outlive the
    /// server.
    explicit Server(Implementation self, ServerOptions options = {}, auth::Sealer* sealer = nullptr);
    ~Server() override;

    /// Adds, or replaces the one of that name. kLimit if there are too many, kSchema or kInvalidArgument if the
    /// definition is unusable.
    Result<void> add(Tool definition, ToolHandler handler);
    Result<void> add(Resource definition, ResourceHandler handler);
    Result<void> add(ResourceTemplate definition, ResourceHandler handler);
    Result<void> add(Prompt definition, PromptHandler handler);

    /// Makes a tool from a described struct and a function that returns Result of a described value, of std::string,
    /// Json or CallToolResult, or a Task of it. It takes the struct, or `(const Context&, ServerCall&, Struct)`.
    template <class Function>
    Result<void> add_tool(Tool definition, Function function);
    template <class Function>
    Result<void> add_tool(std::string name, std::string description, Function function) {
        Tool definition;
        definition.name = std::move(name);
        definition.description = std::move(description);
        return add_tool(std::move(definition), std::move(function));
    }
    /// Adds tools that share one executor. Stops at the first that cannot be added.
    Result<void> add_tools(std::vector<Tool> definitions, ToolExecutor executor);

    /// False if there is none with that name, URI or template.
    bool remove_tool(std::string_view name);
    bool remove_resource(std::string_view uri);
    bool remove_template(std::string_view uri_template);
    bool remove_prompt(std::string_view name);

    void complete_prompt(std::string prompt, std::string argument, Completer completer);
    void complete_template(std::string uri_template, std::string variable, Completer completer);

    /// Notifies clients subscribed to the resource or to one that contains it.
    void resource_updated(std::string uri);
    /// Notifies listeners that the list changed; add and remove do so implicitly.
    void list_changed(Change::Kind kind);

    /// Cancels every task and waits until they have ended.
    Task<void> close();
    std::size_t tasks() const noexcept;

    // Backend
    Task<std::expected<std::shared_ptr<const Identity>, Refusal>> identify(const Context& ctx,
                                                                           const RequestOrigin& origin) override;
    Task<std::shared_ptr<const ServerProfile>> profile(const Context& ctx, const Peer& peer) override;
    Task<Answer> answer(const Context& ctx, const Call& call, ReplyChannel& line) override;
    void heard(const Peer& peer, std::string_view method, const Json& params) override;
    Task<Result<std::unique_ptr<Watch>>> watch(const Context& ctx, PeerPtr peer, Interest wanted,
                                               std::function<void(const Change&)> tell) override;
    void session_ended(const Peer& peer) override;

private:
    std::unique_ptr<ServerCore> core_;
};

template <class Function>
Result<void> Server::add_tool(Tool definition, Function function) {
    using S = typed::Signature<Function>;
    definition.input_schema = schema_of<typename S::Arguments>();
    if constexpr (!typed::Free<typename S::Value>) definition.output_schema = schema_of<typename S::Value>();
    return add(std::move(definition),
               [function = std::move(function)](const Context& ctx, ServerCall& call, JsonObject arguments) {
                   return typed::run<Function>(ctx, call, function, std::move(arguments));
               });
}

}  // namespace gantry::mcp
