#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "gateway/resilience/source_gate.hpp"

namespace gantry::gateway {

struct GateOptions {
    /// By the sources' names; others get `others`.
    std::unordered_map<std::string, SourceLimits> sources = {};
    SourceLimits others = {};
    /// Each principal by itself, whatever it calls.
    Rate principal_rate = {};
    /// Hears of breakers; null or outlives the gates.
    Observer* observer = nullptr;
};

/// The gates of all sources, and how often each principal may call. Belongs to one loop.
class Gates {
public:
    explicit Gates(GateOptions options = {}) : options_(std::move(options)) {}

    /// Never null; made when first asked for.
    SourceGate& of(const std::string& source) {
        const auto found = gates_.find(source);
        return found != gates_.end() ? *found->second : add(source);
    }

    /// Whether this call is within every rate that concerns it; then it counts. kLimit, reason rate_limited, says when
    /// to come back. `tool` is empty for calls that are not about one.
    Result<void> admit_rate(const Principal& principal, const std::string& source, std::string_view tool,
                            TimePoint now) {
        SourceGate& gate = of(source);
        if (!gate.has_rates() && !options_.principal_rate.limited()) [[likely]]
            return {};
        return take_rate(principal, gate, tool, now);
    }

    /// New limits from now on. The health of sources that stay is kept; those that are gone are forgotten.
    void configure(GateOptions options);

    std::vector<GateStatus> status() const;
    /// Its breaker is open, or being tested.
    bool failing(const std::string& source) const;
    /// Closes the source's breaker by hand. kNotFound when nobody has called such a source.
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
