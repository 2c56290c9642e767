#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "gateway/events/bus.hpp"
#include "gateway/events/log_tail.hpp"
#include "gateway/events/options.hpp"

namespace gantry::gateway::events {

std::string_view to_string(LogLevel level) noexcept;
std::optional<LogLevel> log_level_from(std::string_view word) noexcept;

/// What the operator reads while it happens, one line each.
///
///     10:22:28 warning  it is down: connection refused  server=files
///     {"time":"2026-11-17T10:22:28.123Z","level":"warning","message":"it is down: …","server":"files"}
///
/// Whoever does not read fast enough loses lines, is told how many, and holds nobody up. The last lines from level info
/// up (from debug, where that is told) are kept in memory as well, whatever is told here. Belongs to one loop.
class Log {
public:
    using Field = std::pair<std::string_view, std::string_view>;

    /// `redactor` takes secrets out of every line, whoever wrote it; null: none. Must outlive the log.
    explicit Log(LogOptions options, int fd = 2, const Redactor* redactor = nullptr);
    Log(const Log&) = delete;
    Log& operator=(const Log&) = delete;

    /// From the next line on.
    void configure(LogOptions options);

    /// Nothing unredacted can be said through it.
    bool redacts() const noexcept { return redactor_ != nullptr; }
    /// Whether a line at this level is told or kept.
    bool says(LogLevel level) const noexcept { return level >= lowest_kept(); }
    /// Fields with empty values are left out; "server" says which one the line is about.
    void write(LogLevel level, std::string_view message, std::initializer_list<Field> fields = {}) noexcept;
    /// A line a server wrote to its standard error: kept, and told where `told`. A server that writes without end has
    /// most of it left out.
    void write_stderr(std::string_view server, std::string_view line, bool told) noexcept;
    std::uint64_t dropped() const noexcept { return dropped_; }

    LogTail& tail() noexcept { return tail_; }
    LogLevel lowest_kept() const noexcept { return std::min(options_.level, LogLevel::kInfo); }

private:
    /// The line in line_, without its end.
    void put_together(bool json, LogLevel level, std::string_view message, std::span<const Field> fields);
    void tell(LogLevel level, std::string_view message, std::span<const Field> fields, bool is_json);
    bool send(std::string_view line) noexcept;

    LogOptions options_ = {};
    int fd_;
    const Redactor* redactor_;
    bool json_ = false;
    std::uint64_t dropped_ = 0;
    std::uint64_t untold_ = 0;
    std::string line_;
    LogTail tail_;
};

/// One line for every call and for every other event: who, what, how long, how it ended. No arguments, no results.
class LogLines final : public Listener {
public:
    /// Calls that went well are told only with `all_calls`, those that failed at level debug otherwise.
    LogLines(Log& log, bool all_calls) : log_(log), all_calls_(all_calls) {}
    void tell_all_calls(bool all) noexcept { all_calls_ = all; }
    void heard(const Record& record) noexcept override;

private:
    void tell_call(const Record& record) noexcept;

    Log& log_;
    bool all_calls_;
};

}  // namespace gantry::gateway::events
