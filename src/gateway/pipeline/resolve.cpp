#include "gateway/pipeline/resolve.hpp"

#include "base/try.hpp"
#include "gateway/runtime/snapshot.hpp"
#include "mcp/protocol/errors.hpp"
#include "mcp/protocol/method.hpp"

namespace gantry::gateway {
namespace {

std::unexpected<Error> unknown(const IncomingCall& call) {
    const char* what = "unknown tool";
    if (call.about == ItemKind::kPrompt) what = "unknown prompt";
    if (call.about == ItemKind::kResource) what = "unknown resource";
    if (call.about == ItemKind::kTemplate) what = "unknown resource template";
    return fail(ErrorCode::kNotFound, what);
}

std::unexpected<Error> refused(RpcError error) {
    return fail(Error(ErrorCode::kRpc, error.message).rpc(std::move(error)));
}

Result<ResolvedCall> resolve_task(Seals& seals, IdentifiedCall call) {
    const IncomingCall& incoming = call.incoming;
    const Snapshot& now = incoming.snapshot;
    const auto tasks =
        incoming.client.modern() ? mcp::Capability::kExtensionTasks : mcp::Capability::kExperimentalTasks;
    auto task = seals.open_task(incoming.name, *call.principal);
    // An existing task outlives the advertised capability: its server may be down for a while.
    if (!task && !mcp::declares(now.catalog->capabilities(incoming.scope), tasks)) {
        return refused(mcp::method_not_found(method_of(incoming.verb)));
    }
    if (incoming.client.modern() && !mcp::declares(incoming.client.capabilities, tasks)) {
        mcp::ClientCapabilities required;
        required.extensions.set(std::string(mcp::kTasksExtension), JsonObject{});
        return refused(mcp::missing_capability(required, "the client did not declare the tasks extension"));
    }
    if (!task) return fail(task.error());
    Source* const source = now.sources->find(task->source);
    if (source == nullptr) return fail(ErrorCode::kInvalidArgument, "unknown task");
    auto id = std::make_shared<const std::string>(std::move(task->inner));
    return ResolvedCall{.identified = std::move(call), .source = source, .own_name = *id, .opened_id = std::move(id)};
}

}  // namespace

Result<ResolvedCall> resolve(Seals& seals, IdentifiedCall& call) {
    const IncomingCall& incoming = call.incoming;
    if (is_about_task(incoming.verb)) return resolve_task(seals, std::move(call));

    const Snapshot& now = incoming.snapshot;
    const auto found = now.catalog->find(incoming.about, incoming.scope, incoming.name);
    if (!found) return unknown(incoming);
    Source* source = &(*now.sources)[found->source];
    std::optional<std::string> resume;
    if (incoming.view.request_state) {
        const auto token = incoming.view.request_state.text();
        if (!token) return fail(ErrorCode::kInvalidArgument, "requestState must be a string");
        const std::string digest = digest_of(incoming.verb, found->own_name, incoming.view);
        GANTRY_TRY(WaitingCall waiting, seals.open_state(*token, *call.principal, digest));
        // The name may resolve to another source by now; the answer still goes to the one that asked.
        source = now.sources->find(waiting.source);
        if (source == nullptr)
            return fail(ErrorCode::kInvalidArgument, "requestState is unknown, expired or belongs to another call");
        resume = std::move(waiting.inner);
    }
    return ResolvedCall{.identified = std::move(call),
                        .source = source,
                        .item = found->item,
                        .own_name = found->own_name,
                        .resume_state = std::move(resume)};
}

}  // namespace gantry::gateway
