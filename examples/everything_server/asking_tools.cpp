// The tools that ask something of the client, as the legacy scenarios know them. In front of a modern client the same
// functions answer `input_required`.
#include "fixture.hpp"

namespace everything {
namespace {

using gantry::fail;
using mcp::ServerCall;

constexpr std::string_view kPerson = R"({"type":"object","properties":{
    "username":{"type":"string","description":"User's response"},
    "email":{"type":"string","description":"User's email address"}},"required":["username","email"]})";

constexpr std::string_view kDefaults = R"({"type":"object","properties":{
    "name":{"type":"string","description":"User name","default":"John Doe"},
    "age":{"type":"integer","description":"User age","default":30},
    "score":{"type":"number","description":"User score","default":95.5},
    "status":{"type":"string","description":"User status","enum":["active","inactive","pending"],"default":"active"},
    "verified":{"type":"boolean","description":"Verification status","default":true}},"required":[]})";

constexpr std::string_view kEnums = R"({"type":"object","properties":{
    "untitledSingle":{"type":"string","description":"Choose one option","enum":["option1","option2","option3"]},
    "titledSingle":{"type":"string","description":"Choose one option with titles","oneOf":[
        {"const":"value1","title":"First Option"},{"const":"value2","title":"Second Option"},
        {"const":"value3","title":"Third Option"}]},
    "legacyEnum":{"type":"string","description":"Choose one option, older form","enum":["opt1","opt2","opt3"],
        "enumNames":["Option One","Option Two","Option Three"]},
    "untitledMulti":{"type":"array","description":"Choose several options","minItems":1,"maxItems":3,
        "items":{"type":"string","enum":["option1","option2","option3"]}},
    "titledMulti":{"type":"array","description":"Choose several options with titles","minItems":1,"maxItems":3,
        "items":{"anyOf":[{"const":"value1","title":"First Choice"},{"const":"value2","title":"Second Choice"},
        {"const":"value3","title":"Third Choice"}]}}},"required":[]})";

std::string told(const mcp::ElicitResult& answer) {
    const char* action = answer.action == mcp::ElicitAction::kAccept    ? "accept"
                         : answer.action == mcp::ElicitAction::kDecline ? "decline"
                                                                        : "cancel";
    return std::string("action=") + action + ", content=" + Json(answer.content.value_or(JsonObject{})).dump();
}

std::string text_at(const JsonObject& arguments, std::string_view name) {
    const Json* value = arguments.find(name);
    return value != nullptr && value->is_string() ? *value->if_string() : std::string();
}

Task<Result<mcp::CallToolResult>> sample(const Context& ctx, ServerCall& call, JsonObject arguments) {
    auto answer = co_await call.sample(ctx, "llm_response", prompt_for_model(text_at(arguments, "prompt")));
    if (!answer) co_return fail(answer.error());
    std::string said;
    for (const auto& block : answer->content) {
        if (const auto* words = std::get_if<mcp::TextContent>(&block)) said += words->text;
    }
    co_return text("LLM response: " + said);
}

Task<Result<mcp::CallToolResult>> elicit(const Context& ctx, ServerCall& call, JsonObject arguments) {
    auto answer = co_await call.elicit(ctx, "user_input", form(text_at(arguments, "message"), kPerson));
    if (!answer) co_return fail(answer.error());
    co_return text("User response: " + told(*answer));
}

Task<Result<mcp::CallToolResult>> elicit_form(const Context& ctx, ServerCall& call, std::string message,
                                              std::string_view schema) {
    auto answer = co_await call.elicit(ctx, "form", form(std::move(message), schema));
    if (!answer) co_return fail(answer.error());
    co_return text("Elicitation completed: " + told(*answer));
}

Task<Result<mcp::CallToolResult>> need_sampling(const Context&, ServerCall& call, JsonObject) {
    mcp::ClientCapabilities required;
    required.sampling.emplace();
    if (auto has = call.need(required); !has) co_return fail(has.error());
    co_return text("The client can sample");
}

}  // namespace

void add_asking_tools(mcp::Server& server) {
    must(server.add(tool("test_sampling", "Asks the client's model",
                         R"({"type":"object","properties":{"prompt":{"type":"string","description":"What to ask"}},
                             "required":["prompt"]})"),
                    sample));
    must(server.add(tool("test_elicitation", "Asks the person at the client",
                         R"({"type":"object","properties":{"message":{"type":"string","description":"What to show"}},
                             "required":["message"]})"),
                    elicit));
    must(server.add(tool("test_elicitation_sep1034_defaults", "Asks with a default for every kind of field"),
                    [](const Context& ctx, ServerCall& call, JsonObject) {
                        return elicit_form(ctx, call, "Please review and update the form fields with defaults",
                                           kDefaults);
                    }));
    must(server.add(tool("test_elicitation_sep1330_enums", "Asks with every kind of choice"),
                    [](const Context& ctx, ServerCall& call, JsonObject) {
                        return elicit_form(ctx, call, "Please select options from the enum fields", kEnums);
                    }));
    must(server.add(tool("test_streaming_elicitation", "Asks one question"),
                    [](const Context& ctx, ServerCall& call, JsonObject) {
                        return elicit_form(ctx, call, "Please choose", kDefaults);
                    }));
    must(server.add(tool("test_missing_capability", "Works only with clients that can sample"), need_sampling));
}

}  // namespace everything
