// Source compatibility: callers as they are written today. Headers only grow: this file must compile after every change
// to them, without changing a line.

#include <gtest/gtest.h>

#include <type_traits>

#include "gantry/client.hpp"
#include "gantry/exceptions.hpp"
#include "gantry/local_tool.hpp"

namespace gantry::testing {
namespace {

// Options are plain aggregates with defaults, so that a caller sets only what matters and a new field breaks no caller.
template <class T>
inline constexpr bool kGrows =
    std::is_aggregate_v<T> && std::is_default_constructible_v<T> && std::is_copy_constructible_v<T>;
static_assert(kGrows<StdioServer> && kGrows<HttpServer> && kGrows<ConnectOptions> && kGrows<CallOptions>);
static_assert(kGrows<ListToolsOptions> && kGrows<Handlers>);

// Every operation has a blocking and an awaitable form with the same parameters, and requires no more than these.
static_assert(requires(Client& client, const Tool& tool, JsonObject arguments) {
    { connect({.server = StdioServer{.command = "x"}}) } -> std::same_as<Result<Client>>;
    { connect_async({.server = HttpServer{.url = "http://x/"}}) } -> std::same_as<Pending<Client>>;
    { client.list_tools() } -> std::same_as<Result<std::vector<Tool>>>;
    { client.list_tools_async({.prefix = "p"}) } -> std::same_as<Pending<std::vector<Tool>>>;
    { client.call("t") } -> std::same_as<Result<mcp::CallToolResult>>;
    { client.call("t", arguments) } -> std::same_as<Result<mcp::CallToolResult>>;
    { client.call_async("t", arguments, {}) } -> std::same_as<Pending<mcp::CallToolResult>>;
    { tool.call(arguments) } -> std::same_as<Result<mcp::CallToolResult>>;
    { tool.call_async(arguments) } -> std::same_as<Pending<mcp::CallToolResult>>;
    { client.list_resources() } -> std::same_as<Result<std::vector<mcp::Resource>>>;
    { client.read_resource("u") } -> std::same_as<Result<mcp::ReadResourceResult>>;
    { client.list_prompts() } -> std::same_as<Result<std::vector<mcp::Prompt>>>;
    { client.get_prompt("p") } -> std::same_as<Result<mcp::GetPromptResult>>;
    client.close();
});
// Move-only: there is one owner.
static_assert(std::is_nothrow_move_constructible_v<Client> && !std::is_copy_constructible_v<Client>);

TEST(Callers, NameOnlyTheOptionsTheyCareAbout) {
    const ConnectOptions child{
        .name = "files",
        .server =
            StdioServer{.command = "npx", .args = {"-y", "some-server"}, .env = {{"KEY", "value"}}, .cwd = "/srv"},
        .era = Era::kAuto,
        .handlers = {.roots = []() -> Result<std::vector<mcp::Root>> { return std::vector<mcp::Root>(); }},
        .connect_timeout = std::chrono::seconds(10),
        .call_timeout = std::chrono::minutes(1)};
    const ConnectOptions remote{.server = HttpServer{.url = "https://example.com/mcp",
                                                     .headers = {{"Authorization", "Bearer token"}},
                                                     .transport = HttpServer::Transport::kStreamableHttp}};
    const CallOptions call{.timeout = std::chrono::seconds(5), .on_progress = [](const mcp::Progress&) {}};
    const ListToolsOptions list{.prefix = "git", .refresh = true};
    EXPECT_EQ(std::get<StdioServer>(child.server).args.size(), 2u);
    EXPECT_EQ(remote.call_timeout, std::chrono::seconds(30)) << "what is not named has its default";
    EXPECT_TRUE(call.validate);
    EXPECT_EQ(list.prefix, "git");
}

TEST(Callers, SwitchOverEveryKindOfError) {
    // No default case: a code added to the closed set breaks callers, so it must break this function first.
    const auto advice = [](ErrorCode code) -> std::string {
        switch (code) {
            case ErrorCode::kConnection: return "try again";
            case ErrorCode::kTimeout: return "wait longer";
            case ErrorCode::kUnauthorized:
            case ErrorCode::kDenied: return "log in";
            case ErrorCode::kSchema:
            case ErrorCode::kInvalidArgument: return "correct the arguments";
            case ErrorCode::kOutcomeUnknown: return "look first";
            case ErrorCode::kParse:
            case ErrorCode::kProtocol:
            case ErrorCode::kCancelled:
            case ErrorCode::kNotFound:
            case ErrorCode::kLimit:
            case ErrorCode::kRpc:
            case ErrorCode::kTool:
            case ErrorCode::kUnsupported:
            case ErrorCode::kInternal: return "report it";
        }
        return "";
    };
    EXPECT_EQ(advice(ErrorCode::kOutcomeUnknown), "look first");
}

}  // namespace
}  // namespace gantry::testing
