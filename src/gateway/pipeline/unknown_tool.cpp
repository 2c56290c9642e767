#include "gateway/pipeline/unknown_tool.hpp"

#include <set>

#include "base/nearest.hpp"
#include "gateway/runtime/snapshot.hpp"

namespace gantry::gateway {
namespace {

/// Names compared with the requested one; each comparison takes about a microsecond.
constexpr std::size_t kMostCompared = 500;
/// Similar names that the policy forbids are skipped, up to this many.
constexpr int kMostForbidden = 4;
constexpr std::size_t kLongestShown = 128;

bool may_call(const IncomingCall& call, const Principal& principal, std::string_view name) {
    const Snapshot& now = call.snapshot;
    const auto found = now.catalog->find(ItemKind::kTool, call.scope, name);
    if (!found) return false;
    const std::string& source = (*now.sources)[found->source].name();
    return now.settings->allows(principal, source, found->item, found->own_name, call.verb);
}

std::string suggestion(const IncomingCall& call, const Principal& principal) {
    const auto names = call.snapshot.catalog->names(ItemKind::kTool, call.scope, call.client.revision, kMostCompared);
    std::set<std::string_view> known(names.begin(), names.end());
    // The requested name itself is listed if the policy forbids it.
    known.erase(call.name);
    for (int i = 0; i < kMostForbidden; ++i) {
        const std::string_view near = nearest_name(call.name, known);
        if (near.empty()) return {};
        if (may_call(call, principal, near)) return did_you_mean(near);
        known.erase(near);
    }
    return {};
}

}  // namespace

Error unknown_tool(const IncomingCall& call, const Principal& principal) {
    const bool is_long = call.name.size() > kLongestShown;
    const std::string name =
        is_long ? "of " + std::to_string(call.name.size()) + " bytes" : "'" + std::string(call.name) + "'";
    return {ErrorCode::kNotFound, "no tool " + name + suggestion(call, principal)};
}

}  // namespace gantry::gateway
