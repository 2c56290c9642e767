#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gateway/events/bus.hpp"
#include "gateway/events/options.hpp"

namespace gantry::gateway::events {

/// What is read when somebody asks, instead of being counted while it happens.
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

/// Counts what happens, in the terms of Prometheus. A call costs one look-up in a table of ours: the series of every
/// tool are made once and kept. Their number is bounded, whatever names callers invent.
class Metrics final : public Listener {
public:
    Metrics(MetricsOptions options, std::function<Readings()> read);
    ~Metrics() override;

    void heard(const Record& record) noexcept override;
    void heard_call(const Record& record, const Outcome& outcome) noexcept override;

    /// Series that are there stay.
    void set_max_series(std::size_t most) noexcept;

    /// Everything in Prometheus' text format.
    std::string text();

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace gantry::gateway::events
