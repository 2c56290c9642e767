#include "gateway/pipeline/unknown_tool.hpp"

#include <set>

#include "base/nearest.hpp"
#include "gateway/ports/source.hpp"

namespace gantry::gateway {
namespace {

/// Names compared with the requested one; each comparison takes about a microsecond.
constexpr std::size_t kMostCompared = 500;
/// Similar names that the policy forbids are skipped, up to this many.
constexpr int kMostForbidden = 4;
constexpr std::size_t kLongestShown = 128;

bool may_call(const Catalog& catalog, const Policy& policy, const IncomingCall& call, const Principal& principal,
              std::string_view name) {
    const auto found = catalog.find(ItemKind::kTool, call.scope, name);
    return found && policy.allows(principal, found->source->name(), found->item.get(), found->own_name, call.verb);
}

std::string suggestion(const Catalog& catalog, const Policy& policy, const IncomingCall& call,
                       const Principal& principal) {
    const auto names = catalog.names(ItemKind::kTool, call.scope, call.client.revision, kMostCompared);
    std::set<std::string_view> known(names.begin(), names.end());
    // The requested name itself is listed if the policy forbids it.
    known.erase(call.name);
    for (int i = 0; i < kMostForbidden; ++i) {
        const std::string_view near = nearest_name(call.name, known);
        if (near.empty()) return {};
        if (may_call(catalog, policy, call, principal, near)) return did_you_mean(near);
        known.erase(near);
    }
    return {};
}

}  // namespace

Error unknown_tool(const Catalog& catalog, const Policy& policy, const IncomingCall& call, const Principal& principal) {
    const bool is_long = call.name.size() > kLongestShown;
    const std::string name =
        is_long ? "of " + std::to_string(call.name.size()) + " bytes" : "'" + std::string(call.name) + "'";
    return {ErrorCode::kNotFound, "no tool " + name + suggestion(catalog, policy, call, principal)};
}

}  // namespace gantry::gateway
