#include "mcp/server/listener.hpp"

#include <algorithm>

#include "mcp/protocol/codec.hpp"
#include "mcp/protocol/errors.hpp"
#include "mcp/protocol/meta.hpp"
#include "mcp/protocol/method.hpp"
#include "mcp/server/session.hpp"
#include "mcp/server/wire.hpp"

namespace gantry::mcp {
namespace {

constexpr std::size_t kMaxNames = 10'000;
constexpr std::size_t kMaxEarly = 100;

std::set<std::string> common(const std::set<std::string>& a, const std::set<std::string>& b) {
    std::set<std::string> out;
    std::ranges::set_intersection(a, b, std::inserter(out, out.end()));
    return out;
}

std::string acknowledgement(const Interest& honoured, std::string_view raw_id) {
    SubscriptionFilter filter;
    if (honoured.tools) filter.tools_list_changed = true;
    if (honoured.prompts) filter.prompts_list_changed = true;
    if (honoured.resources) filter.resources_list_changed = true;
    filter.resource_subscriptions.assign(honoured.uris.begin(), honoured.uris.end());
    filter.task_ids.assign(honoured.tasks.begin(), honoured.tasks.end());
    std::string params = R"({"notifications":)" + encode(filter, kLatestRevision).dump();
    params.append(R"(,"_meta":{")").append(meta_key::kSubscriptionId).append("\":").append(raw_id).append("}}");
    return wire::notification(method::kAcknowledged, params);
}

}  // namespace

std::expected<Interest, RpcError> read_interest(const Call& call) {
    const auto params = decode<ListenParams>(call.params(), kLatestRevision);
    if (!params) return std::unexpected(invalid_params(params.error().message()));
    const SubscriptionFilter& filter = params->notifications;
    if (filter.resource_subscriptions.size() + filter.task_ids.size() > kMaxNames) {
        return std::unexpected(invalid_params("too many resources or tasks for one subscription"));
    }
    Interest out{.tools = filter.tools_list_changed.value_or(false),
                 .prompts = filter.prompts_list_changed.value_or(false),
                 .resources = filter.resources_list_changed.value_or(false)};
    out.uris.insert(filter.resource_subscriptions.begin(), filter.resource_subscriptions.end());
    out.tasks.insert(filter.task_ids.begin(), filter.task_ids.end());
    return out;
}

std::string ListenLine::farewell(std::string_view raw_id, const Implementation& self) {
    std::string out;
    wire::append_result_head(out, raw_id);
    out.append(R"({"resultType":"complete","_meta":{")").append(meta_key::kSubscriptionId).append("\":").append(raw_id);
    out.append(",\"").append(meta_key::kServerInfo).append("\":").append(encode(self, kLatestRevision).dump());
    out += "}}}";
    return out;
}

Task<std::expected<void, RpcError>> ListenLine::open(const Context& ctx, Backend& backend, PeerPtr peer,
                                                     Interest wanted) {
    auto made = co_await backend.watch(ctx, std::move(peer), wanted, [this](const Change& change) { changed(change); });
    if (!made) co_return std::unexpected(wire::to_rpc_error(made.error()));
    watch_ = *std::move(made);
    const Interest& served = watch_->honoured();
    honoured_ = {.tools = wanted.tools && served.tools,
                 .prompts = wanted.prompts && served.prompts,
                 .resources = wanted.resources && served.resources,
                 .uris = common(wanted.uris, served.uris),
                 .tasks = common(wanted.tasks, served.tasks)};
    send_(acknowledgement(honoured_, id_));
    acknowledged_ = true;
    for (const Change& change : std::exchange(early_, {})) changed(change);
    co_return std::expected<void, RpcError>();
}

bool ListenLine::wants(const Change& change) const {
    switch (change.kind) {
        case Change::Kind::kTools: return honoured_.tools;
        case Change::Kind::kPrompts: return honoured_.prompts;
        case Change::Kind::kResources: return honoured_.resources;
        case Change::Kind::kUpdated: return covers(honoured_.uris, change.uri);
        case Change::Kind::kTask: return honoured_.tasks.contains(std::string(change.task.string_at("taskId")));
    }
    return false;
}

void ListenLine::changed(const Change& change) {
    if (!acknowledged_) {
        if (early_.size() < kMaxEarly) early_.push_back(change);
    } else if (wants(change)) {
        send_(wire::change(change, id_));
    }
}

}  // namespace gantry::mcp
