// Session's relayed requests.

#include <algorithm>

#include "mcp/client/relay_compose.hpp"
#include "mcp/client/relay_http.hpp"
#include "mcp/client/session.hpp"

namespace gantry::mcp {
namespace {

/// Clients have few distinct capability sets; a client that invents capabilities must not exhaust memory.
constexpr std::size_t kMaxStamps = 32;

Task<Result<void>> failed(Error error) {
    co_return fail(std::move(error));
}

}  // namespace

/// Valid until the next call.
std::string_view Session::stamp_for(std::string_view capabilities) {
    const auto known =
        std::ranges::find(stamps_, capabilities, [](const auto& one) -> std::string_view { return one.first; });
    if (known != stamps_.end()) return known->second;
    if (stamps_.size() == kMaxStamps) stamps_.clear();
    return stamps_.emplace_back(capabilities, make_stamp(server_.revision, capabilities, settings_.self)).second;
}

Task<Result<void>> Session::relay(const Context& ctx, const RelayRequest& request, RelayAnswer& out,
                                  bool& session_gone) {
    const std::int64_t id = rpc_->take_id();
    auto text = compose_relay(request, id, modern() ? stamp_for(request.capabilities) : std::string_view());
    if (!text) return failed(std::move(text).error());
    out.revision = server_.revision;
    if (RawHttpExchange* lane = rpc_->lane()) {
        HttpRelayJob job{.lane = *lane,
                         .rpc = *rpc_,
                         .request = request,
                         .revision = server_.revision,
                         .id = id,
                         .text = *std::move(text)};
        return relay_over_http(ctx, std::move(job), out, session_gone);
    }
    return rpc_->relay(ctx, request, id, *std::move(text), out);
}

}  // namespace gantry::mcp
