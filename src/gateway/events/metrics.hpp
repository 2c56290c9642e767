#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gateway/events/bus.hpp"
#include "gateway/events/options.hpp"

namespace gantry::gateway::events {

/// Gauges that are read on demand instead of being counted as things happen.
struct Readings {
    std::size_t calls_in_flight = 0;
    std::size_t tools = 0;
    std::size_t sessions = 0;
    /// Name and state ("ready", "down" …) of every source.
    std::vector<std::pair<std::string, std::string>> sources = {};
    std::uint64_t records_taken = 0;
    std::uint64_t records_kept = 0;
    std::uint64_t records_dropped = 0;
    std::uint64_t audit_commits = 0;
    std::uint64_t audit_failures = 0;
    bool audit_failing = false;
    std::size_t feed_subscribers = 0;
    std::uint64_t feed_missed = 0;
    std::uint64_t spans_sent = 0;
    std::uint64_t spans_dropped = 0;
    std::uint64_t webhooks_delivered = 0;
    std::uint64_t webhooks_failed = 0;
};

/// Prometheus metrics. A call costs one look-up in our own table: the series of every tool are created once and kept.
/// Their number is bounded, whatever names callers invent.
class Metrics final : public EventListener {
public:
    Metrics(MetricsOptions options, std::function<Readings()> read);
    ~Metrics() override;

    void heard(const Record& record) noexcept override;
    void heard_call(const Record& record, const Outcome& outcome) noexcept override;

    /// Existing series stay.
    void set_max_series(std::size_t most) noexcept;

    /// All metrics in Prometheus' text format.
    std::string text();

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace gantry::gateway::events
