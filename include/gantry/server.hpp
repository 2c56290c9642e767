#pragma once

#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "gantry/describe.hpp"
#include "gantry/error.hpp"
#include "gantry/json.hpp"
#include "gantry/mcp/types.hpp"
#include "gantry/mount.hpp"

/// Serve tools to any MCP client in a few lines:
///
///     struct AddArgs { double a; double b; };
///     GANTRY_DESCRIBE(AddArgs, (a, "first summand"), (b, "second summand"))
///
///     gantry::Server server("calculator", "1.0");
///     server.add_tool("add", "Adds two numbers",
///                     [](const AddArgs& args) -> gantry::Result<double> { return args.a + args.b; });
///     server.serve_stdio();
///
/// Handlers are plain functions that may block: each call runs on a thread of its own.
namespace gantry {

namespace detail {
class CallBridge;
}

/// The call being handled: the caller, and how to reach the client. Valid on the handler's thread until it returns.
///
/// Modern clients answer questions by repeating the request, so the handler RUNS AGAIN from the start: a question that
/// has no answer yet returns an error, which the handler must return; in the next run the same question returns its
/// answer. Therefore ask before any side effect, use the same keys in every run, and propagate errors.
class ServedCall {
public:
    explicit ServedCall(detail::CallBridge& bridge) : bridge_(bridge) {}
    ServedCall(const ServedCall&) = delete;
    ServedCall& operator=(const ServedCall&) = delete;

    /// True once the client no longer waits for the answer.
    bool cancelled() const noexcept;
    mcp::Revision revision() const noexcept;
    const mcp::ClientCapabilities& client() const noexcept;
    const std::optional<mcp::Implementation>& client_info() const noexcept;

    /// Sent if the client asked for it; never blocks.
    void progress(double progress, std::optional<double> total = {}, std::string message = {});
    void log(mcp::LogLevel level, Json data, std::string logger = {});

    Result<mcp::ElicitResult> elicit(std::string key, mcp::ElicitParams params);
    Result<mcp::CreateMessageResult> sample(std::string key, mcp::CreateMessageParams params);
    Result<std::vector<mcp::Root>> roots(std::string key);

    /// Turns the call into a task that the client polls. Returns false if the client does not support tasks and keeps
    /// waiting. Only for tools whose definition has `execution.task_support`.
    Result<bool> become_task(std::string status_message = {});

private:
    detail::CallBridge& bridge_;
};

struct ServerSettings {
    std::optional<std::string> instructions = {};
    /// Adding more tools fails; replacing one does not. Resources and prompts do not count.
    std::size_t max_tools = 100;
    /// Calls served concurrently, each on its own thread; further calls are rejected with a request to retry.
    std::size_t max_calls = 64;
    /// Timeout for one run of a tool. Zero: none.
    std::chrono::milliseconds call_timeout{0};
    /// How long clients may cache a list.
    std::chrono::milliseconds list_ttl{0};
};

struct HttpSettings {
    /// Addresses other than loopback require `allow_remote`, because this server does not authenticate clients.
    std::string host = "127.0.0.1";
    bool allow_remote = false;
    std::uint16_t port = 0;  ///< 0: any free port, see Server::url()
    std::string path = "/mcp";
    /// Host names and origins to accept in addition to those of loopback.
    std::vector<std::string> allowed_hosts = {};
    std::vector<std::string> allowed_origins = {};
};

namespace detail {

template <class R>
struct ServedValue;
template <class V>
struct ServedValue<Result<V>> {
    using Value = V;
};
/// Argument type of a tool without arguments.
struct NoArguments {};
[[maybe_unused]] inline auto gantry_describe_struct(const NoArguments*) {
    return describe::make_struct<NoArguments>("NoArguments");
}

template <class F>
struct ServedSignature : ServedSignature<decltype(&F::operator())> {};
template <class R>
struct ServedSignature<R (*)()> : ServedValue<R> {
    using Arguments = NoArguments;
    static Result<typename ServedValue<R>::Value> apply(const auto& function, ServedCall&, const Arguments&) {
        return function();
    }
};
template <class R>
struct ServedSignature<R (*)(ServedCall&)> : ServedValue<R> {
    using Arguments = NoArguments;
    static Result<typename ServedValue<R>::Value> apply(const auto& function, ServedCall& call, const Arguments&) {
        return function(call);
    }
};
template <class R, class A>
struct ServedSignature<R (*)(A)> : ServedValue<R> {
    using Arguments = std::remove_cvref_t<A>;
    static Result<typename ServedValue<R>::Value> apply(const auto& function, ServedCall&, const Arguments& arguments) {
        return function(arguments);
    }
};
template <class R, class A>
struct ServedSignature<R (*)(ServedCall&, A)> : ServedValue<R> {
    using Arguments = std::remove_cvref_t<A>;
    static Result<typename ServedValue<R>::Value> apply(const auto& function, ServedCall& call,
                                                        const Arguments& arguments) {
        return function(call, arguments);
    }
};
template <class F, class R, class... A>
struct ServedSignature<R (F::*)(A...) const> : ServedSignature<R (*)(A...)> {};

template <class V>
inline constexpr bool kServedFreely =
    std::same_as<V, mcp::CallToolResult> || std::same_as<V, std::string> || std::same_as<V, Json>;

template <class V>
mcp::CallToolResult served_result(V value) {
    mcp::CallToolResult result;
    if constexpr (std::same_as<V, mcp::CallToolResult>) {
        result = std::move(value);
    } else if constexpr (std::same_as<V, std::string>) {
        result.content.push_back(mcp::TextContent{.text = std::move(value)});
    } else {
        result.structured_content = gantry::to_json<V>(value);
    }
    return result;
}

}  // namespace detail

/// An MCP server in this program, for clients of every revision. Thread-safe. Tools, resources and prompts may be
/// added, replaced and removed while serving; subscribed clients are notified.
class Server {
public:
    using ToolFunction = std::function<Result<mcp::CallToolResult>(ServedCall&, JsonObject arguments)>;
    /// Runs any tool of a list, by name.
    using ToolExecutor = std::function<Result<mcp::CallToolResult>(const std::string& tool, JsonObject arguments)>;
    using CallExecutor =
        std::function<Result<mcp::CallToolResult>(ServedCall&, const std::string& tool, JsonObject arguments)>;
    /// `variables` are the values of the template's variables; empty for a plain resource.
    using ResourceFunction = std::function<Result<mcp::ReadResourceResult>(ServedCall&, const std::string& uri,
                                                                           const mcp::StringMap& variables)>;
    using PromptFunction = std::function<Result<mcp::GetPromptResult>(ServedCall&, const mcp::StringMap& arguments)>;

    Server(std::string name, std::string version, ServerSettings settings = {});
    /// Stops serving and waits for the end. Handlers still running are not interrupted; their results are discarded.
    ~Server();
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;

    /// Adds, or replaces the one of that name. kLimit if there are too many tools, kSchema or kInvalidArgument if
    /// the definition is unusable.
    Result<void> add(mcp::Tool definition, ToolFunction function);
    Result<void> add(mcp::Resource definition, ResourceFunction function);
    Result<void> add(mcp::ResourceTemplate definition, ResourceFunction function);
    Result<void> add(mcp::Prompt definition, PromptFunction function);

    /// add() with a plain answer: false if `max_tools` are served already or the definition is unusable; add() says
    /// why. Never throws for either, so callers must check.
    [[nodiscard]] bool register_tool(mcp::Tool definition, ToolFunction function);

    /// Adds tools that share one executor, which must be thread-safe; for programs whose tools are data rather than
    /// functions. Their schemas are checked, and arguments against them, as with add(). Stops at the first that cannot
    /// be added: those before it are served.
    Result<void> add_tools(std::vector<mcp::Tool> definitions, ToolExecutor executor);
    Result<void> add_tools(std::vector<mcp::Tool> definitions, CallExecutor executor);

    /// `function` takes a described struct, a ServedCall&, both in the order `(ServedCall&, const Struct&)`, or
    /// nothing; it must be thread-safe. It returns Result of a described value, of std::string, Json or
    /// mcp::CallToolResult. An Error becomes a result with is_error set.
    template <class Function>
    Result<void> add_tool(std::string name, std::string description, Function function);

    /// False if there is none with that name or URI.
    bool remove_tool(std::string_view name);
    bool remove_resource(std::string_view uri);
    bool remove_prompt(std::string_view name);
    /// Notifies the clients subscribed to it.
    void resource_updated(std::string uri);

    // A server serves once, in one of these ways.

    /// Serves on a background thread; returns once the port is open.
    Result<void> serve_http(HttpSettings settings = {});
    /// "http://127.0.0.1:43211/mcp"; empty before serve_http().
    std::string url() const;
    /// Serves this process's stdin and stdout; returns when the client disconnects or after stop().
    Result<void> serve_stdio();
    /// Serves the requests that another HTTP server of the program passes to the returned entry; see mount.hpp.
    Result<Mount> mount(MountSettings settings = {});

    /// Signals the end of serving and returns at once; wait() waits for it. From any thread, handlers included.
    /// Requests in flight have `grace` to finish; that of the first call counts. Before serving: it will end as soon as
    /// it begins.
    void stop(std::chrono::milliseconds grace = std::chrono::seconds(2));
    /// Blocks until serving has ended: after stop(), SIGINT or SIGTERM. Returns at once if nothing is served.
    void wait();

private:
    class Impl;
    std::shared_ptr<Impl> impl_;
};

template <class Function>
Result<void> Server::add_tool(std::string name, std::string description, Function function) {
    using Signature = detail::ServedSignature<Function>;
    using Arguments = typename Signature::Arguments;
    using Value = typename Signature::Value;
    mcp::Tool definition;
    definition.name = std::move(name);
    definition.description = std::move(description);
    definition.input_schema = schema_of<Arguments>();
    if constexpr (!detail::kServedFreely<Value>) definition.output_schema = schema_of<Value>();
    auto run = [function = std::move(function)](ServedCall& call, JsonObject given) -> Result<mcp::CallToolResult> {
        auto arguments = gantry::from_json<Arguments>(Json(std::move(given)));
        if (!arguments) return std::unexpected(arguments.error().within("invalid arguments"));
        auto value = Signature::apply(function, call, *arguments);
        if (!value) return std::unexpected(value.error());
        return detail::served_result<Value>(*std::move(value));
    };
    return add(std::move(definition), ToolFunction(std::move(run)));
}

}  // namespace gantry
