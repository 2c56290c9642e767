// Resources, prompts and completion.
#include "fixture.hpp"

namespace everything {
namespace {

using gantry::fail;
using mcp::ServerCall;
using mcp::StringMap;

Task<Result<mcp::ReadResourceResult>> contents(mcp::ResourceContents what) {
    mcp::ReadResourceResult result;
    result.contents.push_back(std::move(what));
    co_return result;
}

mcp::ResourceHandler always(mcp::ResourceContents what) {
    return [what](const Context&, ServerCall&, std::string, StringMap) { return contents(what); };
}

Task<Result<mcp::ReadResourceResult>> read_template(const Context&, ServerCall&, std::string uri, StringMap variables) {
    const std::string& id = variables["id"];
    mcp::ReadResourceResult result;
    const Json data = JsonObject{{"id", id}, {"templateTest", true}, {"data", "Data for ID: " + id}};
    result.contents.push_back({.uri = std::move(uri), .mime_type = "application/json", .text = data.dump()});
    co_return result;
}

mcp::PromptMessage user(mcp::Content content) {
    mcp::PromptMessage message;
    message.role = mcp::Role::kUser;
    message.content = std::move(content);
    return message;
}

Task<Result<mcp::GetPromptResult>> messages(std::vector<mcp::PromptMessage> all) {
    mcp::GetPromptResult result;
    result.messages = std::move(all);
    co_return result;
}

Task<Result<mcp::GetPromptResult>> simple(const Context&, ServerCall&, StringMap) {
    return messages({user(mcp::TextContent{.text = "This is a simple prompt for testing."})});
}

Task<Result<mcp::GetPromptResult>> with_arguments(const Context&, ServerCall&, StringMap arguments) {
    const std::string text =
        "Prompt with arguments: arg1='" + arguments["arg1"] + "', arg2='" + arguments["arg2"] + "'";
    return messages({user(mcp::TextContent{.text = text})});
}

Task<Result<mcp::GetPromptResult>> with_resource(const Context&, ServerCall&, StringMap arguments) {
    mcp::EmbeddedResource block;
    block.resource.uri = arguments["resourceUri"];
    block.resource.mime_type = "text/plain";
    block.resource.text = "Embedded resource content for testing.";
    return messages(
        {user(std::move(block)), user(mcp::TextContent{.text = "Please process the embedded resource above."})});
}

Task<Result<mcp::GetPromptResult>> with_image(const Context&, ServerCall&, StringMap) {
    return messages({user(mcp::ImageContent{.data = std::string(kPng), .mime_type = "image/png"}),
                     user(mcp::TextContent{.text = "Please analyze the image above."})});
}

Task<Result<mcp::GetPromptResult>> with_question(const Context& ctx, ServerCall& call, StringMap) {
    auto answer = co_await call.elicit(ctx, "user_context",
                                       form("What context should the prompt use?",
                                            R"({"type":"object","properties":{"context":{"type":"string"}},
                                                "required":["context"]})"));
    if (!answer) co_return fail(answer.error());
    const Json* context = answer->content ? answer->content->find("context") : nullptr;
    const std::string text = context != nullptr && context->is_string() ? *context->if_string() : "none";
    co_return co_await messages({user(mcp::TextContent{.text = "Use this context: " + text})});
}

Task<Result<mcp::Completion>> complete_argument(const Context&, mcp::CompletionArgument argument, StringMap) {
    mcp::Completion completion;
    for (const char* word : {"hello", "help", "world"}) {
        if (std::string_view(word).starts_with(argument.value)) completion.values.emplace_back(word);
    }
    completion.total = static_cast<std::int64_t>(completion.values.size());
    completion.has_more = false;
    co_return completion;
}

mcp::Prompt prompt(std::string name, std::string description, std::vector<mcp::PromptArgument> arguments = {}) {
    mcp::Prompt prompt;
    prompt.name = std::move(name);
    prompt.description = std::move(description);
    prompt.arguments = std::move(arguments);
    return prompt;
}

mcp::Resource resource(std::string uri, std::string name, std::string description, std::string type) {
    mcp::Resource resource;
    resource.uri = std::move(uri);
    resource.name = std::move(name);
    resource.description = std::move(description);
    resource.mime_type = std::move(type);
    return resource;
}

}  // namespace

void add_resources(mcp::Server& server) {
    must(server.add(resource("test://static-text", "Static text", "A text that never changes", "text/plain"),
                    always({.uri = "test://static-text",
                            .mime_type = "text/plain",
                            .text = "This is the content of the static text resource."})));
    must(server.add(resource("test://static-binary", "Static binary", "An image that never changes", "image/png"),
                    always({.uri = "test://static-binary", .mime_type = "image/png", .blob = std::string(kPng)})));
    must(server.add(
        resource("test://watched-resource", "Watched", "A resource to subscribe to", "text/plain"),
        always({.uri = "test://watched-resource", .mime_type = "text/plain", .text = "This is a watched resource."})));
    mcp::ResourceTemplate family;
    family.uri_template = "test://template/{id}/data";
    family.name = "Template";
    family.description = "Data by id";
    family.mime_type = "application/json";
    must(server.add(std::move(family), read_template));
}

void add_prompts(mcp::Server& server) {
    must(server.add(prompt("test_simple_prompt", "One message"), simple));
    must(server.add(prompt("test_prompt_with_arguments", "Uses two arguments",
                           {{.name = "arg1", .description = "The first", .required = true},
                            {.name = "arg2", .description = "The second", .required = true}}),
                    with_arguments));
    must(server.add(prompt("test_prompt_with_embedded_resource", "Includes a resource",
                           {{.name = "resourceUri", .description = "Which one", .required = true}}),
                    with_resource));
    must(server.add(prompt("test_prompt_with_image", "Includes an image"), with_image));
    must(server.add(prompt("test_input_required_result_prompt", "Asks for its context first"), with_question));
    server.complete_prompt("test_prompt_with_arguments", "arg1", complete_argument);
    server.complete_prompt("test_prompt_with_arguments", "arg2", complete_argument);
}

}  // namespace everything
