#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "gateway/resilience/source_gate.hpp"

namespace gantry::gateway {

struct GateOptions {
    /// By source name; all other sources get `others`.
    std::unordered_map<std::string, SourceLimits> sources = {};
    SourceLimits others = {};
    /// Applies to each principal separately, whatever it calls.
    Rate principal_rate = {};
    /// Notified of breaker changes; null, or must outlive the gates.
    Observer* observer = nullptr;
};

/// The gates of all sources and the rate limits of all principals. Belongs to one loop.
class Gates {
public:
    explicit Gates(GateOptions options = {}) : options_(std::move(options)) {}

    /// Never null; created on first use.
    SourceGate& of(const std::string& source) {
        const auto found = gates_.find(source);
        return found != gates_.end() ? *found->second : add(source);
    }

    /// Consumes one call from every rate limit that applies, if all of them have room. Otherwise kLimit with reason
    /// rate_limited, which says when to retry. `tool` is empty for calls that are not about one.
    Result<void> admit_rate(const Principal& principal, const std::string& source, std::string_view tool,
                            TimePoint now) {
        SourceGate& gate = of(source);
        if (!gate.has_rates() && !options_.principal_rate.limited()) [[likely]]
            return {};
        return take_rate(principal, gate, tool, now);
    }

    /// Applies new limits from now on. The health of sources that stay is kept; sources that are gone are dropped.
    void configure(GateOptions options);

    std::vector<GateStatus> status() const;
    /// Whether its breaker is open or half open.
    bool failing(const std::string& source) const;
    /// Closes the source's breaker on the operator's request. kNotFound when no such source has been called.
    Result<void> reset(const std::string& source);

private:
    SourceGate& add(const std::string& source);
    Result<void> take_rate(const Principal& principal, SourceGate& gate, std::string_view tool, TimePoint now);
    const SourceLimits& limits_of(const std::string& source) const;

    GateOptions options_;
    std::unordered_map<std::string, LocalPtr<SourceGate>> gates_;
    BucketTable principals_;
};

}  // namespace gantry::gateway
