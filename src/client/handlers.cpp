#include "client/handlers.hpp"

namespace gantry {

namespace {

std::string_view list_name(mcp::ListKind kind) {
    switch (kind) {
        case mcp::ListKind::kTools: return "tools";
        case mcp::ListKind::kResources: return "resources";
        case mcp::ListKind::kPrompts: return "prompts";
    }
    return "tools";
}

Task<Result<std::vector<mcp::Root>>> at_once(std::vector<mcp::Root> roots) {
    co_return roots;
}

}  // namespace

mcp::SessionHandlers on_own_threads(Runtime& runtime, const Handlers& handlers, std::shared_ptr<Roots> roots) {
    mcp::SessionHandlers session;
    if (handlers.elicit) {
        session.elicit = [&runtime, elicit = handlers.elicit](const Context& ctx, mcp::ElicitParams params) {
            return runtime.offload<mcp::ElicitResult>(ctx,
                                                      [elicit, params = std::move(params)] { return elicit(params); });
        };
        session.elicit_by_url = handlers.elicit_by_url;
    }
    if (handlers.sample) {
        session.sample = [&runtime, sample = handlers.sample](const Context& ctx, mcp::CreateMessageParams params) {
            return runtime.offload<mcp::CreateMessageResult>(
                ctx, [sample, params = std::move(params)] { return sample(params); });
        };
        session.sample_with_tools = handlers.sample_with_tools;
    }
    if (handlers.roots) {
        session.roots = [&runtime, ask = handlers.roots, roots = std::move(roots)](const Context& ctx) {
            return roots->replaced ? at_once(*roots->replaced) : runtime.offload<std::vector<mcp::Root>>(ctx, ask);
        };
        session.roots_may_change = true;
    }
    session.on_log = handlers.on_log;
    session.on_resource_updated = handlers.on_resource_updated;
    session.on_task_changed = handlers.on_task_changed;
    session.on_skipped = handlers.on_skipped;
    if (handlers.on_list_changed) {
        session.on_list_changed = [told = handlers.on_list_changed](mcp::ListKind kind) { told(list_name(kind)); };
    }
    return session;
}

}  // namespace gantry
