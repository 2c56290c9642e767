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
/// `variables` are those of the template; empty for a plain resource.
using ResourceHandler =
    std::function<Task<Result<ReadResourceResult>>(const Context&, ServerCall&, std::string uri, StringMap variables)>;
/// Completes what has been typed of one argument; `settled` are the others. The first 100 values are sent.
using Completer =
    std::function<Task<Result<Completion>>(const Context&, CompletionArgument argument, StringMap settled)>;
/// Runs any tool, by name.
using ToolExecutor =
    std::function<Task<Result<CallToolResult>>(const Context&, std::string tool, JsonObject arguments)>;

struct ServerOptions {
    std::optional<std::string> instructions = {};
    /// Further tools are refused.
    std::size_t max_tools = 100;
    /// Entries per page of a list.
    std::size_t page_size = 100;
    /// How long clients may use a list or a resource without asking again, and who may.
    Duration ttl = Duration::zero();
    CacheScope cache_scope = CacheScope::kPrivate;
    /// For one run of a tool; zero: no limit. A task has the time its record is kept.
    Duration call_timeout = Duration::zero();
    /// How long a client may take to come back with answers, and how often it may be asked in one call.
    Duration state_lifetime = std::chrono::minutes(15);
    std::int64_t max_rounds = 10;
    TaskLimits tasks = {};
    /// Declared although there is nothing yet, because something may be added later.
    bool declare_tools = false;
    bool declare_prompts = false;
    bool declare_resources = false;
    bool declare_logging = true;
    /// Who may come; without it everybody is the same local user.
    std::function<Task<std::expected<std::shared_ptr<const Identity>, Refusal>>(const Context&, const Approach&)>
        identify = {};
    /// Notifications of clients, e.g. that their roots changed.
    std::function<void(const Peer&, std::string_view method, const Json& params)> on_notification = {};
};

class ServerCore;

/// An MCP server made of C++ functions. Endpoints (HttpEndpoint, serve_lines) bring it requests of either era; the
/// handlers speak the newest revision and need not know which client they serve.
///
///     Server server({.name = "calculator", .version = "1"});
///     server.add_tool("add", "Adds two numbers",
///                     [](const AddArgs& args) -> Result<double> { return args.a + args.b; });
///
/// Handlers run on the loop: what blocks belongs on another thread. An Error of a tool becomes a result with
/// `isError`, one that carries an RpcError that JSON-RPC error. Arguments have been checked against the input schema.
/// Adding, replacing and removing is possible at any time and is told to clients that listen. One loop only; close()
/// before destruction if any tool has task support.
class Server final : public Backend {
public:
    /// Without a sealer, states of requests in progress do not survive the process. `sealer` must outlive the server.
    explicit Server(Implementation self, ServerOptions options = {}, auth::Sealer* sealer = nullptr);
    ~Server() override;

    /// Adds, or replaces the one of that name. False, that is an error: kLimit when there are too many,
    /// kSchema or kInvalidArgument when the definition is of no use.
    Result<void> add(Tool definition, ToolHandler handler);
    Result<void> add(Resource definition, ResourceHandler handler);
    Result<void> add(ResourceTemplate definition, ResourceHandler handler);
    Result<void> add(Prompt definition, PromptHandler handler);

    /// A tool from a described struct and a function, which returns Result of a described value, of std::string, Json
    /// or CallToolResult, or a Task of that. It takes the struct, or `(const Context&, ServerCall&, Struct)`.
    template <class Function>
    Result<void> add_tool(Tool definition, Function function);
    template <class Function>
    Result<void> add_tool(std::string name, std::string description, Function function) {
        Tool definition;
        definition.name = std::move(name);
        definition.description = std::move(description);
        return add_tool(std::move(definition), std::move(function));
    }
    /// Tools whose calls all go to one function. Stops at the first that is refused.
    Result<void> add_tools(std::vector<Tool> definitions, ToolExecutor executor);

    /// False if there is none of that name, URI or template.
    bool remove_tool(std::string_view name);
    bool remove_resource(std::string_view uri);
    bool remove_template(std::string_view uri_template);
    bool remove_prompt(std::string_view name);

    void complete_prompt(std::string prompt, std::string argument, Completer completer);
    void complete_template(std::string uri_template, std::string variable, Completer completer);

    /// Tells whoever subscribed to it, or to what it is part of.
    void resource_updated(std::string uri);
    /// Tells listeners to fetch the list again; add and remove do so by themselves.
    void list_changed(Change::Kind kind);

    /// Cancels every task and waits for their ends.
    Task<void> close();
    std::size_t tasks() const noexcept;

    // Backend
    Task<std::expected<std::shared_ptr<const Identity>, Refusal>> identify(const Context& ctx,
                                                                           const Approach& approach) override;
    Task<std::shared_ptr<const Face>> face(const Context& ctx, const Peer& peer) override;
    Task<Answer> answer(const Context& ctx, const Call& call, ReplyLine& line) override;
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
