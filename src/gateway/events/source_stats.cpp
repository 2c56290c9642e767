#include "gateway/events/source_stats.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace gantry::gateway::events {

void SourceStats::heard_call(const Record& record, const Outcome& outcome) noexcept {
    if (outcome.source.empty()) return;
    auto found = entries_.find(outcome.source);
    if (found == entries_.end()) found = entries_.emplace(outcome.source, Entry{}).first;
    Entry& entry = found->second;
    ++entry.calls;
    if (record.ending == Ending::kError || record.ending == Ending::kToolFailed) ++entry.failed;
    ++entry.took[bucket_of(outcome.took)];
}

/// The power of two and the two bits below it.
std::size_t SourceStats::bucket_of(Duration took) noexcept {
    const auto micros = std::max<std::int64_t>(std::chrono::duration_cast<std::chrono::microseconds>(took).count(), 0);
    const auto value = static_cast<std::uint64_t>(micros) + 4;  // so that there are two bits below the highest
    const auto power = static_cast<std::size_t>(std::bit_width(value) - 1);
    const std::size_t quarter = (value >> (power - 2)) & 3;
    return std::min(4 * (power - 2) + quarter, kBuckets - 1);
}

double SourceStats::quantile(const Entry& entry, double share) {
    const auto wanted = static_cast<std::uint64_t>(std::ceil(share * static_cast<double>(entry.calls)));
    std::uint64_t seen = 0;
    for (std::size_t bucket = 0; bucket < kBuckets; ++bucket) {
        seen += entry.took[bucket];
        if (seen < wanted || seen == 0) continue;
        const double upper = std::ldexp(4.0 + static_cast<double>(bucket % 4 + 1), static_cast<int>(bucket / 4)) - 4.0;
        return upper / 1000.0;
    }
    return 0;
}

SourceStats::Figures SourceStats::of(std::string_view source) const {
    const auto found = entries_.find(source);
    if (found == entries_.end()) return {};
    const Entry& entry = found->second;
    return {
        .calls = entry.calls, .failed = entry.failed, .p50_ms = quantile(entry, 0.5), .p99_ms = quantile(entry, 0.99)};
}

}  // namespace gantry::gateway::events
