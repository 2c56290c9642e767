#include "mcp/client/initialize.hpp"

#include "base/try.hpp"
#include "mcp/protocol/codec.hpp"

namespace gantry::mcp {
namespace {

/// Whether a lost initialize ran is irrelevant: report why the connection ended.
Error without_doubt(Error error) {
    if (error.code() == ErrorCode::kOutcomeUnknown && error.cause() != nullptr) return *error.cause();
    return error;
}

}  // namespace

Task<Result<ServerDescription>> initialize(const Context& ctx, Rpc& rpc, const ClientSettings& settings,
                                           HttpFailure* failure) {
    const Revision offered = settings.newest_legacy;
    InitializeParams params;
    params.protocol_version = std::string(to_string(offered));
    params.capabilities = capabilities_of(settings, offered);
    params.client_info = settings.self;

    // The specification forbids cancelling initialize.
    RpcCall call{.method = "initialize",
                 .params = encode(params, offered),
                 .times = settings.times,
                 .cancellable = false,
                 .failure = failure};
    auto answer = co_await rpc.request(ctx, std::move(call));
    if (!answer) co_return fail(without_doubt(std::move(answer).error()));
    GANTRY_CO_TRY(InitializeResult result, decode<InitializeResult>(*answer, offered));

    const auto revision = parse_revision(result.protocol_version);
    if (!revision || is_modern(*revision)) {
        co_return fail(ErrorCode::kUnsupported,
                       "the server insists on a protocol version that initialize cannot agree on; this client speaks "
                       "2024-11-05 to 2025-11-25 after initialize, and 2026-07-28 without it");
    }
    rpc.set_revision(*revision);
    GANTRY_CO_CHECK(co_await rpc.notify(ctx, "notifications/initialized", Json()));

    if (settings.log_level && result.capabilities.logging) {
        SetLevelParams level;
        level.level = *settings.log_level;
        GANTRY_CO_CHECK(co_await rpc.request(
            ctx, RpcCall{.method = "logging/setLevel", .params = encode(level, *revision), .times = settings.times}));
    }
    co_return ServerDescription{.revision = *revision,
                                .info = std::move(result.server_info),
                                .capabilities = std::move(result.capabilities),
                                .instructions = std::move(result.instructions)};
}

ClientCapabilities capabilities_of(const ClientSettings& settings, Revision revision) {
    if (settings.declare && !is_modern(revision)) return *settings.declare;
    const SessionHandlers& handlers = settings.handlers;
    ClientCapabilities capabilities;
    if (handlers.roots) {
        capabilities.roots.emplace();
        if (handlers.roots_may_change && !is_modern(revision)) capabilities.roots->list_changed = true;
    }
    if (handlers.sample) {
        capabilities.sampling.emplace();
        if (handlers.sample_with_tools && revision >= Revision::k2025_11_25) capabilities.sampling->tools.emplace();
    }
    if (handlers.elicit && revision >= Revision::k2025_06_18) {
        capabilities.elicitation.emplace();
        // `{}` already means form mode; modes are spelled out only if there is a second one.
        if (handlers.elicit_by_url && revision >= Revision::k2025_11_25) {
            capabilities.elicitation->form.emplace();
            capabilities.elicitation->url.emplace();
        }
    }
    if (settings.accept_tasks && is_modern(revision)) {
        capabilities.extensions.set(std::string(kTasksExtension), JsonObject{});
    }
    return capabilities;
}

}  // namespace gantry::mcp
