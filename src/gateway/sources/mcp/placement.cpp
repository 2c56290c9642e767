#include "gateway/sources/mcp/placement.hpp"

#include "gateway/sources/mcp/server_errors.hpp"

namespace gantry::gateway {

/// Completions never ask questions.
bool Placer::asks(const AdmittedCall& call, const ForwardedCapabilities& forwarded) const noexcept {
    return call.verb() != Verb::kComplete && sharing_.may_ask(call.client(), forwarded);
}

Placement Placer::now(const AdmittedCall& call, const ForwardedCapabilities& forwarded) {
    const bool asked = asks(call, forwarded);
    if (sharing_.may_share(asked)) return {.lease = Lease(connection_.link())};
    if (sharing_.lane_use(asked) != LaneUse::kTogether) return {};
    Placement placement{
        .lease = lanes_->try_acquire(sharing_.lane_key(call.principal(), call.client(), forwarded, asked)),
        .may_ask = asked};
    placement.lease.keep_open();
    return placement;
}

Task<Result<Placement>> Placer::wait(const Context& ctx, const AdmittedCall& call,
                                     const ForwardedCapabilities& forwarded) {
    if (Placement there = now(call, forwarded); there.lease) co_return there;
    const bool asked = asks(call, forwarded);
    LaneKey key = sharing_.lane_key(call.principal(), call.client(), forwarded, asked);
    ItemPtr only = audiences_.bound_item(call, key);
    auto lease = co_await lanes_->acquire(ctx, std::move(key), asked ? forwarded.asked : mcp::ClientCapabilities(),
                                          sharing_.lane_use(asked), std::move(only));
    if (!lease && asked && sharing_.is_modern() && refuses_legacy(lease.error())) {
        audiences_.note_modern_only();
        co_return Placement{.lease = Lease(connection_.link())};
    }
    if (!lease) co_return fail(lease.error());
    lease->keep_open();
    co_return Placement{.lease = *std::move(lease), .may_ask = asked};
}

}  // namespace gantry::gateway
