#include "mcp/handlers/server.hpp"

#include "base/try.hpp"
#include "mcp/handlers/server_core.hpp"
#include "mcp/protocol/codec.hpp"

namespace gantry::mcp {
namespace {

Task<Result<CallToolResult>> execute(const Context& ctx, ToolExecutor executor, std::string tool,
                                     JsonObject arguments) {
    co_return co_await executor(ctx, std::move(tool), std::move(arguments));
}

template <class Entry>
bool remove_from(Entries<Entry>& entries, std::string_view key) {
    const auto found = entries.find(key);
    if (found == entries.end()) return false;
    entries.erase(found);
    return true;
}

}  // namespace

Server::Server(Implementation self, ServerOptions options, auth::Sealer* sealer)
    : core_(std::make_unique<ServerCore>(std::move(self), std::move(options), sealer)) {}
Server::~Server() = default;

Result<void> Server::add(Tool definition, ToolHandler handler) {
    if (definition.name.empty()) return fail(ErrorCode::kInvalidArgument, "a tool needs a name");
    const bool known = core_->tools.contains(definition.name);
    if (!known && core_->tools.size() >= core_->options.max_tools) {
        return fail(Error(ErrorCode::kLimit,
                          "no more than " + std::to_string(core_->options.max_tools) + " tools are served (max_tools)")
                        .on_tool(definition.name));
    }
    if (definition.input_schema.string_at("type") != "object") {
        return fail(
            Error(ErrorCode::kSchema, "the input schema of a tool describes an object").on_tool(definition.name));
    }
    GANTRY_TRY(auto input, schema::Schema::compile(definition.input_schema));
    std::optional<schema::Schema> output;
    if (definition.output_schema) {
        GANTRY_TRY(output, schema::Schema::compile(*definition.output_schema));
    }
    GANTRY_TRY(auto headers, header_params(definition.input_schema));
    Json shown = encode(definition, kLatestRevision);
    if (definition.execution) shown.if_object()->set("execution", encode(*definition.execution, Revision::k2025_11_25));
    std::string name = definition.name;
    core_->tools.insert_or_assign(
        std::move(name), std::make_shared<const ToolEntry>(std::move(definition), std::move(handler), std::move(input),
                                                           std::move(output), std::move(headers), std::move(shown)));
    core_->offers_changed(Change::Kind::kTools);
    return {};
}

Result<void> Server::add(Resource definition, ResourceHandler handler) {
    if (definition.uri.empty()) return fail(ErrorCode::kInvalidArgument, "a resource needs a URI");
    Json shown = encode(definition, kLatestRevision);
    std::string uri = definition.uri;
    core_->resources.insert_or_assign(std::move(uri), std::make_shared<const ResourceEntry>(
                                                          std::move(definition), std::move(handler), std::move(shown)));
    core_->offers_changed(Change::Kind::kResources);
    return {};
}

Result<void> Server::add(ResourceTemplate definition, ResourceHandler handler) {
    GANTRY_TRY(auto pattern, UriTemplate::parse_extractable(definition.uri_template));
    Json shown = encode(definition, kLatestRevision);
    std::string text = definition.uri_template;
    core_->templates.insert_or_assign(std::move(text),
                                      std::make_shared<const TemplateEntry>(std::move(definition), std::move(handler),
                                                                            std::move(pattern), std::move(shown)));
    core_->offers_changed(Change::Kind::kResources);
    return {};
}

Result<void> Server::add(Prompt definition, PromptHandler handler) {
    if (definition.name.empty()) return fail(ErrorCode::kInvalidArgument, "a prompt needs a name");
    Json shown = encode(definition, kLatestRevision);
    std::string name = definition.name;
    core_->prompts.insert_or_assign(std::move(name), std::make_shared<const PromptEntry>(
                                                         std::move(definition), std::move(handler), std::move(shown)));
    core_->offers_changed(Change::Kind::kPrompts);
    return {};
}

Result<void> Server::add_tools(std::vector<Tool> definitions, ToolExecutor executor) {
    for (Tool& definition : definitions) {
        const std::string name = definition.name;
        GANTRY_CHECK(
            add(std::move(definition), [executor, name](const Context& ctx, ServerCall&, JsonObject arguments) {
                return execute(ctx, executor, name, std::move(arguments));
            }));
    }
    return {};
}

bool Server::remove_tool(std::string_view name) {
    if (!remove_from(core_->tools, name)) return false;
    core_->offers_changed(Change::Kind::kTools);
    return true;
}
bool Server::remove_resource(std::string_view uri) {
    if (!remove_from(core_->resources, uri)) return false;
    core_->offers_changed(Change::Kind::kResources);
    return true;
}
bool Server::remove_template(std::string_view uri_template) {
    if (!remove_from(core_->templates, uri_template)) return false;
    core_->offers_changed(Change::Kind::kResources);
    return true;
}
bool Server::remove_prompt(std::string_view name) {
    if (!remove_from(core_->prompts, name)) return false;
    core_->offers_changed(Change::Kind::kPrompts);
    return true;
}

void Server::complete_prompt(std::string prompt, std::string argument, Completer completer) {
    core_->prompt_completers.insert_or_assign({std::move(prompt), std::move(argument)}, std::move(completer));
}
void Server::complete_template(std::string uri_template, std::string variable, Completer completer) {
    core_->template_completers.insert_or_assign({std::move(uri_template), std::move(variable)}, std::move(completer));
}

void Server::resource_updated(std::string uri) {
    core_->changes.tell({.kind = Change::Kind::kUpdated, .uri = std::move(uri)});
}
void Server::list_changed(Change::Kind kind) {
    core_->offers_changed(kind);
}

Task<void> Server::close() {
    core_->tasks.cancel_all();
    core_->scope.cancel();
    co_await core_->scope.join();
}
std::size_t Server::tasks() const noexcept {
    return core_->tasks.size();
}

Task<std::expected<std::shared_ptr<const Identity>, Refusal>> Server::identify(const Context& ctx,
                                                                               const RequestOrigin& origin) {
    if (core_->options.identify) co_return co_await core_->options.identify(ctx, origin);
    co_return co_await Backend::identify(ctx, origin);
}
Task<std::shared_ptr<const ServerProfile>> Server::profile(const Context&, const Peer& peer) {
    co_return core_->profile(peer);
}
Task<Answer> Server::answer(const Context& ctx, const Call& call, ReplyChannel& line) {
    return core_->answer(ctx, call, line);
}
void Server::heard(const Peer& peer, std::string_view method, const Json& params) {
    if (core_->options.on_notification) core_->options.on_notification(peer, method, params);
}
Task<Result<std::unique_ptr<Watch>>> Server::watch(const Context&, PeerPtr peer, Interest wanted,
                                                   std::function<void(const Change&)> tell) {
    co_return core_->changes.watch(core_->honour(*peer, std::move(wanted)), std::move(tell));
}
void Server::session_ended(const Peer& peer) {
    // Without an identity no client can ask for these any more.
    if (!peer.identity && !peer.session.empty()) core_->tasks.forget_owner(owner_of(peer));
}

}  // namespace gantry::mcp
