#include "gateway/resilience/gates.hpp"

#include <algorithm>

#include "gateway/resilience/refusal.hpp"

namespace gantry::gateway {
namespace {

std::unexpected<Error> rate_reached(const std::string& whose, std::string_view server, Duration wait) {
    const auto after = std::chrono::ceil<milliseconds>(wait).count();
    return fail(refusal(ErrorCode::kLimit,
                        "rate limit of " + whose + " reached; try again in " + std::to_string(after) + " ms",
                        "rate_limited", server, wait));
}

}  // namespace

SourceGate& Gates::add(const std::string& source) {
    return *gates_.emplace(source, make_local<SourceGate>(source, limits_of(source), options_.observer)).first->second;
}

const SourceLimits& Gates::limits_of(const std::string& source) const {
    const auto found = options_.sources.find(source);
    return found == options_.sources.end() ? options_.others : found->second;
}

Result<void> Gates::take_rate(const Principal& principal, SourceGate& gate, std::string_view tool, TimePoint now) {
    // Check all buckets first and take only if every one has a token: a refused call consumes nothing.
    TokenBucket* own = nullptr;
    if (options_.principal_rate.limited()) {
        own = principals_.of(principal.id, options_.principal_rate, now);
        const Duration wait = own == nullptr ? Duration(seconds(1)) : own->wait(now);
        if (wait > Duration::zero()) return rate_reached("this caller", {}, wait);
    }
    if (const Duration wait = gate.rate_wait(tool, now); wait > Duration::zero())
        return rate_reached("server '" + gate.source() + "'", gate.source(), wait);
    gate.commit_rate();
    if (own != nullptr) own->take();
    return {};
}

void Gates::configure(GateOptions options) {
    if (!(options.principal_rate == options_.principal_rate)) principals_.clear();
    options_ = std::move(options);
    std::erase_if(gates_, [this](const auto& entry) { return !options_.sources.contains(entry.first); });
    for (const auto& [name, gate] : gates_) gate->configure(limits_of(name));
}

std::vector<GateStatus> Gates::status() const {
    std::vector<GateStatus> all;
    for (const auto& [name, gate] : gates_) all.push_back(gate->status());
    std::ranges::sort(all, {}, &GateStatus::source);
    return all;
}

bool Gates::failing(const std::string& source) const {
    const auto found = gates_.find(source);
    return found != gates_.end() && found->second->status().breaker != BreakerState::kClosed;
}

Result<void> Gates::reset(const std::string& source) {
    const auto found = gates_.find(source);
    if (found == gates_.end()) return fail(ErrorCode::kNotFound, "no call has been made to a server '" + source + "'");
    found->second->reset();
    return {};
}

}  // namespace gantry::gateway
