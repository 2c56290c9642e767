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
/// Handlers are plain functions that may block: each call has a thread of its own while it runs.
namespace gantry {

namespace detail {
class CallBridge;
}

/// The call a handler serves: who calls, and the way back. Used on the handler's thread, until it returns.
///
/// Modern clients answer questions by sending the request again, and the handler runs AGAIN from its beginning: an
/// ask whose answer is not there yet returns an error, which the handler returns; in the next run the ask has its
/// answer. So ask before changing anything, under keys that are the same in every run, and pass errors up.
class ServedCall {
public:
    explicit ServedCall(detail::CallBridge& bridge) : bridge_(bridge) {}
    ServedCall(const ServedCall&) = delete;
    ServedCall& operator=(const ServedCall&) = delete;

    /// Nobody waits for the answer any more.
    bool cancelled() const noexcept;
    mcp::Revision revision() const noexcept;
    const mcp::ClientCapabilities& client() const noexcept;
    const std::optional<mcp::Implementation>& client_info() const noexcept;

    /// Told to the client if it asked for it; never waits.
    void progress(double progress, std::optional<double> total = {}, std::string message = {});
    void log(mcp::LogLevel level, Json data, std::string logger = {});

    Result<mcp::ElicitResult> elicit(std::string key, mcp::ElicitParams params);
    Result<mcp::CreateMessageResult> sample(std::string key, mcp::CreateMessageParams params);
    Result<std::vector<mcp::Root>> roots(std::string key);

    /// From here on the client polls; false when it does not know tasks and simply waits. Only in tools whose
    /// definition has `execution.task_support`.
    Result<bool> become_task(std::string status_message = {});

private:
    detail::CallBridge& bridge_;
};

struct ServerSettings {
    std::optional<std::string> instructions = {};
    /// Further tools are refused.
    std::size_t max_tools = 100;
    /// Calls served at once, each on a thread; more are told to try again.
    std::size_t max_calls = 64;
    /// For one run of a tool; zero: no limit.
    std::chrono::milliseconds call_timeout{0};
    /// How long clients may use a list without asking again.
    std::chrono::milliseconds list_ttl{0};
};

struct HttpSettings {
    /// Other than loopback only with `allow_remote`: nobody is asked who they are here.
    std::string host = "127.0.0.1";
    bool allow_remote = false;
    std::uint16_t port = 0;  ///< 0: any free one, see Server::url()
    std::string path = "/mcp";
    /// Host names and origins besides those of loopback that requests may name.
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
/// What a tool without arguments takes.
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

/// An MCP server of this program, for clients of every revision. Safe to use from any thread; adding, replacing and
/// removing is possible while it serves and is told to clients that listen.
class Server {
public:
    using ToolFunction = std::function<Result<mcp::CallToolResult>(ServedCall&, JsonObject arguments)>;
    /// `variables` are those of the template; empty for a plain resource.
    using ResourceFunction = std::function<Result<mcp::ReadResourceResult>(ServedCall&, const std::string& uri,
                                                                           const mcp::StringMap& variables)>;
    using PromptFunction = std::function<Result<mcp::GetPromptResult>(ServedCall&, const mcp::StringMap& arguments)>;

    Server(std::string name, std::string version, ServerSettings settings = {});
    /// Stops. Handlers that still run are left to themselves; what they return goes nowhere.
    ~Server();
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;

    /// Adds, or replaces the one of that name. kLimit when there are too many tools, kSchema or kInvalidArgument when
    /// the definition is of no use.
    Result<void> add(mcp::Tool definition, ToolFunction function);
    Result<void> add(mcp::Resource definition, ResourceFunction function);
    Result<void> add(mcp::ResourceTemplate definition, ResourceFunction function);
    Result<void> add(mcp::Prompt definition, PromptFunction function);

    /// `function` takes a described struct, a ServedCall&, both in the order `(ServedCall&, const Struct&)`, or
    /// nothing; it must be callable from several threads at once. It returns Result of a described value, of
    /// std::string, Json or mcp::CallToolResult. An Error becomes a result with is_error set.
    template <class Function>
    Result<void> add_tool(std::string name, std::string description, Function function);

    /// False if there is none of that name or URI.
    bool remove_tool(std::string_view name);
    bool remove_resource(std::string_view uri);
    bool remove_prompt(std::string_view name);
    /// Tells whoever subscribed to it.
    void resource_updated(std::string uri);

    /// Serves on a thread of its own; returns once the port is open. Once per server.
    Result<void> serve_http(HttpSettings settings = {});
    /// "http://127.0.0.1:43211/mcp"; empty before serve_http().
    std::string url() const;
    /// Serves this process's stdin and stdout; returns when the client is gone or after stop(). Once per server.
    Result<void> serve_stdio();

    /// Ends serving, from any thread; answers under way have `grace` to be sent. May be called twice.
    void stop(std::chrono::milliseconds grace = std::chrono::seconds(2));
    /// Blocks until stop() was called, or one of SIGINT and SIGTERM has come and everything is stopped.
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
