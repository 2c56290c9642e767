#include "mcp/handlers/server_core.hpp"

#include <algorithm>
#include <cassert>

#include "mcp/protocol/codec.hpp"
#include "mcp/protocol/errors.hpp"
#include "mcp/protocol/meta.hpp"

namespace gantry::mcp {
namespace {

std::optional<auth::Sealer> own_sealer(auth::Sealer* given) {
    if (given != nullptr) return {};
    auto made = auth::Sealer::ephemeral();
    assert(made && "the system gives no random bytes");
    return *std::move(made);
}

}  // namespace

TaskSupport ToolEntry::task_support() const {
    if (!definition.execution || !definition.execution->task_support) return TaskSupport::kForbidden;
    return definition.execution->task_support->known().value_or(TaskSupport::kForbidden);
}

ServerCore::ServerCore(Implementation self, ServerOptions options, auth::Sealer* sealer)
    : self(std::move(self)),
      options(std::move(options)),
      changes([this](std::string_view uri) { return knows(uri); }),
      tasks(this->options.tasks, [this](const TaskRecord& task) { tell_task(task); }),
      scope(Context::background()),
      own_sealer_(own_sealer(sealer)),
      sealer_(sealer != nullptr ? sealer : &*own_sealer_) {}

bool ServerCore::knows(std::string_view uri) const {
    return resources.contains(uri) || std::ranges::any_of(templates, [&](const auto& entry) {
               return entry.second->pattern.extract(uri).has_value();
           });
}

bool ServerCore::has_task_tools() const {
    return std::ranges::any_of(
        tools, [](const auto& entry) { return entry.second->task_support() != TaskSupport::kForbidden; });
}

ServerCapabilities ServerCore::capabilities(bool modern) const {
    ServerCapabilities all;
    if (!tools.empty() || options.declare_tools) all.tools = ListChangedCapability{.list_changed = true};
    if (!prompts.empty() || options.declare_prompts) all.prompts = ListChangedCapability{.list_changed = true};
    if (!resources.empty() || !templates.empty() || options.declare_resources) {
        all.resources = ResourcesCapability{.subscribe = true, .list_changed = true};
    }
    if (!prompt_completers.empty() || !template_completers.empty()) all.completions = JsonObject{};
    if (options.declare_logging) all.logging = JsonObject{};
    if (!has_task_tools()) return all;
    if (modern) {
        all.extensions.set(std::string(kTasksExtension), JsonObject{});
    } else {
        all.tasks = TasksCapability{.list = JsonObject{},
                                    .cancel = JsonObject{},
                                    .requests = JsonObject{{"tools", JsonObject{{"call", JsonObject{}}}}}};
    }
    return all;
}

std::shared_ptr<const ServerProfile> ServerCore::profile(const Peer& peer) {
    auto& profile = profiles_[peer.modern() ? 1 : 0];
    if (!profile) {
        const auto ttl = std::chrono::duration_cast<milliseconds>(options.ttl).count();
        profile = std::make_shared<const ServerProfile>(ServerProfile{.self = self,
                                                                      .capabilities = capabilities(peer.modern()),
                                                                      .instructions = options.instructions,
                                                                      .ttl_ms = ttl,
                                                                      .cache_scope = options.cache_scope});
    }
    return profile;
}

void ServerCore::offers_changed(Change::Kind kind) {
    profiles_ = {};
    first_pages_.clear();
    changes.tell({.kind = kind});
}

Interest ServerCore::honour(const Peer& peer, Interest wanted) {
    const ServerCapabilities has = capabilities(peer.modern());
    wanted.tools = wanted.tools && has.tools;
    wanted.prompts = wanted.prompts && has.prompts;
    wanted.resources = wanted.resources && has.resources;
    std::erase_if(wanted.uris, [this](const std::string& uri) { return !knows(uri); });
    std::erase_if(wanted.tasks, [&](const std::string& id) { return tasks.find(peer, id) == nullptr; });
    return wanted;
}

Task<Answer> ServerCore::answer(const Context& ctx, const Call& call, ReplyChannel& line) {
    const bool offered = call.info != nullptr && !call.info->notification &&
                         call.info->direction != Direction::kToClient &&
                         declares(profile(*call.peer)->capabilities, call.info->capability);
    if (!offered) co_return Answer::failure(call, method_not_found(call.method));
    if (call.method == method::kCallTool) co_return co_await call_tool(ctx, call, line);
    if (call.method == method::kGetPrompt) co_return co_await get_prompt(ctx, call, line);
    if (call.method == method::kReadResource) co_return co_await read_resource(ctx, call, line);
    if (call.method == method::kComplete) co_return co_await complete(ctx, call);
    if (call.info->capability == Capability::kExperimentalTasks ||
        call.info->capability == Capability::kExtensionTasks) {
        co_return co_await serve_task(ctx, call, line);
    }
    co_return list(call);
}

ServerCall::Asking ServerCore::asking_of(const Call& call) {
    if (!call.peer->modern()) return ServerCall::Asking::kOnLine;
    return call.info != nullptr && call.info->may_ask_input ? ServerCall::Asking::kByRounds
                                                            : ServerCall::Asking::kNever;
}

std::unique_ptr<ServerCall> ServerCore::serve(const Call& call, ReplyChannel& line, JsonObject meta) const {
    return std::unique_ptr<ServerCall>(new ServerCall(call, line, std::move(meta), asking_of(call)));
}

Answer ServerCore::finished(const Call& call, Json result) const {
    if (call.peer->modern()) {
        JsonObject& object = *result.if_object();
        if (Json* meta = object.find("_meta"); meta == nullptr || !meta->is_object()) object.set("_meta", JsonObject{});
        stamp_server_info(*object.find("_meta")->if_object(), self);
    }
    return Answer::result(call, result);
}

}  // namespace gantry::mcp
