#include "fixture.hpp"
#include "io/loop.hpp"

namespace everything {
namespace {

using gantry::fail;
using gantry::milliseconds;
using mcp::ServerCall;

constexpr std::string_view kConfirm =
    R"({"type":"object","properties":{"confirm":{"type":"boolean","description":"Really?"}}})";
constexpr std::string_view kName =
    R"({"type":"object","properties":{"name":{"type":"string","description":"Your name"}}})";

std::string text_at(const JsonObject& object, std::string_view name, std::string fallback) {
    const Json* value = object.find(name);
    return value != nullptr && value->is_string() ? *value->if_string() : std::move(fallback);
}

Task<Result<mcp::CallToolResult>> greet(const Context&, ServerCall&, JsonObject arguments) {
    co_return text("Hello, " + text_at(arguments, "name", "world") + "!");
}

Task<Result<mcp::CallToolResult>> compute(const Context& ctx, ServerCall& call, JsonObject arguments) {
    if (auto task = call.become_task("computing"); !task) co_return fail(task.error());
    const Json* asked = arguments.find("seconds");
    const double wanted = asked != nullptr ? asked->as_double().value_or(0) : 0;
    const auto duration = milliseconds(static_cast<std::int64_t>(wanted * 1000));
    if (auto slept = co_await gantry::sleep_for(ctx, duration); !slept) co_return fail(slept.error());
    co_return text("Computed " + text_at(arguments, "label", "something"));
}

Task<Result<mcp::CallToolResult>> fail_slowly(const Context& ctx, ServerCall& call, JsonObject) {
    if (auto task = call.become_task("about to fail"); !task) co_return fail(task.error());
    if (auto slept = co_await gantry::sleep_for(ctx, gantry::seconds(1)); !slept) co_return fail(slept.error());
    co_return fail(gantry::ErrorCode::kInternal, "The job failed, as it always does");
}

Task<Result<mcp::CallToolResult>> break_slowly(const Context& ctx, ServerCall& call, JsonObject) {
    if (auto task = call.become_task("about to break"); !task) co_return fail(task.error());
    if (auto slept = co_await gantry::sleep_for(ctx, milliseconds(200)); !slept) co_return fail(slept.error());
    const std::string message = "The job broke";
    co_return fail(
        gantry::Error(gantry::ErrorCode::kRpc, message).rpc({.code = -32603, .message = message, .data = {}}));
}

Task<Result<mcp::CallToolResult>> confirm_delete(const Context& ctx, ServerCall& call, JsonObject arguments) {
    if (auto task = call.become_task("waiting for a confirmation"); !task) co_return fail(task.error());
    const std::string name = text_at(arguments, "filename", "the file");
    auto answer = co_await call.elicit(ctx, "confirm", form("Delete " + name + "?", kConfirm));
    if (!answer) co_return fail(answer.error());
    co_return text((answer->action == mcp::ElicitAction::kAccept ? "Deleted " : "Kept ") + name);
}

Task<Result<mcp::CallToolResult>> ask_two(const Context& ctx, ServerCall& call, JsonObject) {
    if (auto task = call.become_task("waiting for two answers"); !task) co_return fail(task.error());
    mcp::InputRequests both;
    both.emplace_back("first", form("The first name?", kName));
    both.emplace_back("second", form("The second name?", kName));
    auto answers = co_await call.ask_all(ctx, std::move(both));
    if (!answers) co_return fail(answers.error());
    co_return text("Received " + std::to_string(answers->size()) + " answers");
}

Task<Result<mcp::CallToolResult>> ask_then_work(const Context& ctx, ServerCall& call, JsonObject) {
    auto answer = co_await call.elicit(ctx, "user_name", form("What is your name?", kName));
    if (!answer) co_return fail(answer.error());
    if (auto task = call.become_task("working"); !task) co_return fail(task.error());
    if (auto slept = co_await gantry::sleep_for(ctx, milliseconds(100)); !slept) co_return fail(slept.error());
    co_return text("Done for " + text_at(answer->content.value_or(JsonObject{}), "name", "somebody"));
}

}  // namespace

void add_task_tools(mcp::Server& server) {
    const auto add = [&server](mcp::Tool definition, mcp::TaskSupport support, mcp::ToolHandler handler) {
        definition.execution = mcp::ToolExecution{.task_support = support};
        must(server.add(std::move(definition), std::move(handler)));
    };
    must(server.add(tool("greet", "Greets at once", R"({"type":"object","properties":{"name":{"type":"string"}}})"),
                    greet));
    add(tool("slow_compute", "Takes its time",
             R"({"type":"object","properties":{"seconds":{"type":"number","minimum":0,"maximum":3600},
                 "label":{"type":"string"}}})"),
        mcp::TaskSupport::kOptional, compute);
    add(tool("failing_job", "Fails after a second"), mcp::TaskSupport::kRequired, fail_slowly);
    add(tool("protocol_error_job", "Ends in a protocol error"), mcp::TaskSupport::kOptional, break_slowly);
    add(tool("confirm_delete", "Asks before it deletes nothing",
             R"({"type":"object","properties":{"filename":{"type":"string"}}})"),
        mcp::TaskSupport::kOptional, confirm_delete);
    add(tool("multi_input", "Asks two things at once"), mcp::TaskSupport::kOptional, ask_two);
    add(tool("test_tool_with_task", "Asks first and works afterwards"), mcp::TaskSupport::kOptional, ask_then_work);
}

}  // namespace everything
