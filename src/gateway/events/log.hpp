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

/// The operator's log, one line per message.
///
///     10:22:28 warning  it is down: connection refused  server=files
///     {"time":"2026-11-17T10:22:28.123Z","level":"warning","message":"it is down: …","server":"files"}
///
/// Never blocks: a consumer that does not read fast enough loses lines and learns how many. The latest lines from
/// level info up (from debug, if that is the configured level) are also kept in memory, whatever is written out.
/// Belongs to one loop.
class Log {
public:
    using Field = std::pair<std::string_view, std::string_view>;

    /// `redactor` removes secrets from every line, whatever its origin; null: no redaction. Must outlive the log.
    explicit Log(LogOptions options, int fd = 2, const Redactor* redactor = nullptr);
    Log(const Log&) = delete;
    Log& operator=(const Log&) = delete;

    /// Takes effect from the next line on.
    void configure(LogOptions options);

    /// Whether every line is redacted.
    bool redacts() const noexcept { return redactor_ != nullptr; }
    /// Whether a line at this level is written or kept in memory.
    bool says(LogLevel level) const noexcept { return level >= lowest_kept(); }
    /// Fields with empty values are omitted; "server" names the server the line is about.
    void write(LogLevel level, std::string_view message, std::initializer_list<Field> fields = {}) noexcept;
    /// A line of a server's standard error: kept in memory, and written if `told`. Rate-limited per server.
    void write_stderr(std::string_view server, std::string_view line, bool told) noexcept;
    std::uint64_t dropped() const noexcept { return dropped_; }

    LogTail& tail() noexcept { return tail_; }
    LogLevel lowest_kept() const noexcept { return std::min(options_.level, LogLevel::kInfo); }

private:
    /// The line in line_, without its line ending.
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

/// One line for every call and every other event: who, what, duration and outcome. No arguments, no results.
class LogLines final : public EventListener {
public:
    /// With `all_calls` calls are logged at level info, otherwise at debug.
    LogLines(Log& log, bool all_calls) : log_(log), all_calls_(all_calls) {}
    void tell_all_calls(bool all) noexcept { all_calls_ = all; }
    void heard(const Record& record) noexcept override;

private:
    void tell_call(const Record& record) noexcept;

    Log& log_;
    bool all_calls_;
};

}  // namespace gantry::gateway::events
