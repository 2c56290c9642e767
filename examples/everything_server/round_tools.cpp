// The tools of the scenarios about input rounds.
#include "fixture.hpp"

namespace everything {
namespace {

using gantry::fail;
using mcp::ServerCall;

constexpr std::string_view kName =
    R"({"type":"object","properties":{"name":{"type":"string","description":"Your name"}},"required":["name"]})";
constexpr std::string_view kColor =
    R"({"type":"object","properties":{"color":{"type":"string","description":"Your favourite"}},"required":["color"]})";
constexpr std::string_view kOk =
    R"({"type":"object","properties":{"ok":{"type":"boolean","description":"Go on?"}},"required":["ok"]})";

std::string text_in(const mcp::ElicitResult& answer, std::string_view name) {
    const Json* value = answer.content ? answer.content->find(name) : nullptr;
    return value != nullptr && value->is_string() ? *value->if_string() : "stranger";
}

Task<Result<mcp::CallToolResult>> ask_name(const Context& ctx, ServerCall& call, JsonObject) {
    auto name = co_await call.elicit(ctx, "user_name", form("What is your name?", kName));
    if (!name) co_return fail(name.error());
    co_return text("Hello, " + text_in(*name, "name") + "!");
}

Task<Result<mcp::CallToolResult>> ask_model(const Context& ctx, ServerCall& call, JsonObject) {
    auto answer = co_await call.sample(ctx, "capital", prompt_for_model("What is the capital of France?"));
    if (!answer) co_return fail(answer.error());
    co_return text("Answered by " + answer->model);
}

Task<Result<mcp::CallToolResult>> ask_roots(const Context& ctx, ServerCall& call, JsonObject) {
    auto roots = co_await call.roots(ctx, "client_roots");
    if (!roots) co_return fail(roots.error());
    co_return text("The client has " + std::to_string(roots->size()) + " root(s)");
}

Task<Result<mcp::CallToolResult>> ask_with_state(const Context& ctx, ServerCall& call, JsonObject) {
    auto answer = co_await call.elicit(ctx, "confirm", form("Please confirm", kOk));
    if (!answer) co_return fail(answer.error());
    // A round that came back with a state which does not open never gets here.
    co_return text(call.round() > 0 ? "state-ok" : "answered up front");
}

Task<Result<mcp::CallToolResult>> ask_everything(const Context& ctx, ServerCall& call, JsonObject) {
    mcp::InputRequests all;
    all.emplace_back("user_name", form("What is your name?", kName));
    all.emplace_back("greeting", prompt_for_model("Say hello"));
    all.emplace_back("client_roots", mcp::ListRootsInput{});
    auto answers = co_await call.ask_all(ctx, std::move(all));
    if (!answers) co_return fail(answers.error());
    co_return text("Received " + std::to_string(answers->size()) + " answers");
}

Task<Result<mcp::CallToolResult>> ask_twice(const Context& ctx, ServerCall& call, JsonObject) {
    auto name = co_await call.elicit(ctx, "step1", form("Step 1: what is your name?", kName));
    if (!name) co_return fail(name.error());
    auto color = co_await call.elicit(ctx, "step2", form("Step 2: what is your favourite colour?", kColor));
    if (!color) co_return fail(color.error());
    co_return text(text_in(*name, "name") + " likes " + text_in(*color, "color"));
}

Task<Result<mcp::CallToolResult>> ask_what_is_possible(const Context& ctx, ServerCall& call, JsonObject) {
    mcp::InputRequests possible;
    if (call.client().elicitation) possible.emplace_back("user_name", form("What is your name?", kName));
    if (call.client().sampling) possible.emplace_back("greeting", prompt_for_model("Say hello"));
    auto answers = co_await call.ask_all(ctx, std::move(possible));
    if (!answers) co_return fail(answers.error());
    co_return text("Received " + std::to_string(answers->size()) + " answers");
}

}  // namespace

void add_round_tools(mcp::Server& server) {
    const auto add = [&server](std::string_view suffix, std::string description, mcp::ToolHandler handler) {
        must(server.add(tool("test_input_required_result_" + std::string(suffix), std::move(description)),
                        std::move(handler)));
    };
    add("elicitation", "Asks for a name", ask_name);
    add("sampling", "Asks the client's model", ask_model);
    add("list_roots", "Asks for the client's roots", ask_roots);
    add("request_state", "Asks once and checks its state", ask_with_state);
    add("multiple_inputs", "Asks three things in one round", ask_everything);
    add("multi_round", "Asks in two rounds", ask_twice);
    add("tampered_state", "Asks once and insists on its own state", ask_with_state);
    add("capabilities", "Asks only what the client can answer", ask_what_is_possible);
}

}  // namespace everything
