#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "gateway/events/bus.hpp"

namespace gantry::gateway::events {

/// Call statistics per source since the start, for the gateway's status. A call costs one look-up.
class SourceStats final : public EventListener {
public:
    struct Figures {
        std::uint64_t calls = 0;
        /// Calls without an answer, or with one that reports a failed tool.
        std::uint64_t failed = 0;
        /// Over all calls so far, with a resolution of a quarter of a power of two.
        double p50_ms = 0;
        double p99_ms = 0;
    };

    void heard(const Record& record) noexcept override { static_cast<void>(record); }
    void heard_call(const Record& record, const Outcome& outcome) noexcept override;

    /// All zero for a source without calls.
    Figures of(std::string_view source) const;

private:
    /// Four per power of two of microseconds, up to an hour and more.
    static constexpr std::size_t kBuckets = 4 * 32;
    struct Entry {
        std::uint64_t calls = 0;
        std::uint64_t failed = 0;
        std::array<std::uint64_t, kBuckets> took = {};
    };
    static std::size_t bucket_of(Duration took) noexcept;
    static double quantile(const Entry& entry, double share);

    /// Sources come from configuration, so their number is bounded.
    std::map<std::string, Entry, std::less<>> entries_;
};

}  // namespace gantry::gateway::events
