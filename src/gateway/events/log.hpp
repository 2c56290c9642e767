#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "gateway/events/bus.hpp"
#include "gateway/events/options.hpp"

namespace gantry::gateway::events {

std::string_view to_string(LogLevel level) noexcept;
std::optional<LogLevel> log_level_from(std::string_view word) noexcept;

/// What the operator reads while it happens, one line each.
///
///     10:22:28 warning  it is down: connection refused  server=files
///     {"time":"2026-11-17T10:22:28.123Z","level":"warning","message":"it is down: …","server":"files"}
///
/// Whoever does not read fast enough loses lines, is told how many, and holds nobody up.
class Log {
public:
    using Field = std::pair<std::string_view, std::string_view>;

    explicit Log(LogOptions options, int fd = 2);

    bool says(LogLevel level) const noexcept { return level >= options_.level; }
    /// Fields with empty values are left out.
    void write(LogLevel level, std::string_view message, std::initializer_list<Field> fields = {}) noexcept;
    std::uint64_t dropped() const noexcept { return dropped_; }

private:
    bool send(std::string_view line) noexcept;

    LogOptions options_;
    int fd_;
    bool json_;
    std::uint64_t dropped_ = 0;
    std::uint64_t untold_ = 0;
    std::string line_;
};

/// One line for every call and for every other event: who, what, how long, how it ended. No arguments, no results.
class LogLines final : public Listener {
public:
    /// Calls that went well are told only with `all_calls`, those that failed at level debug otherwise.
    LogLines(Log& log, bool all_calls) : log_(log), all_calls_(all_calls) {}
    void heard(const Record& record) noexcept override;

private:
    void tell_call(const Record& record) noexcept;

    Log& log_;
    bool all_calls_;
};

}  // namespace gantry::gateway::events
