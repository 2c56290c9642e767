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

}  // namespace

mcp::SessionHandlers on_own_threads(Runtime& runtime, const Handlers& handlers) {
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
        session.roots = [&runtime, roots = handlers.roots](const Context& ctx) {
            return runtime.offload<std::vector<mcp::Root>>(ctx, roots);
        };
    }
    session.on_log = handlers.on_log;
    session.on_resource_updated = handlers.on_resource_updated;
    session.on_skipped = handlers.on_skipped;
    if (handlers.on_list_changed) {
        session.on_list_changed = [told = handlers.on_list_changed](mcp::ListKind kind) { told(list_name(kind)); };
    }
    return session;
}

}  // namespace gantry
