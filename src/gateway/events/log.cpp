#include "gateway/events/log.hpp"

#include <poll.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <cstdio>

#include "base/json/text.hpp"
#include "base/redact/redactor.hpp"
#include "base/terminal_text.hpp"

namespace gantry::gateway::events {
namespace {

constexpr std::array<std::string_view, 4> kWords = {"debug", "info", "warning", "error"};
/// A pipe that polls writable accepts this much without blocking.
constexpr std::size_t kLongestLine = 4000;

void append_time(std::string& out, bool whole) {
    timespec now{};
    ::clock_gettime(CLOCK_REALTIME, &now);
    tm parts{};
    if (whole) {
        ::gmtime_r(&now.tv_sec, &parts);
    } else {
        ::localtime_r(&now.tv_sec, &parts);
    }
    std::array<char, 40> text{};
    std::size_t size = std::strftime(text.data(), text.size(), whole ? "%Y-%m-%dT%H:%M:%S" : "%H:%M:%S", &parts);
    out.append(text.data(), size);
    if (!whole) return;
    size = static_cast<std::size_t>(std::snprintf(text.data(), text.size(), ".%03ldZ", now.tv_nsec / 1'000'000));
    out.append(text.data(), size);
}

/// Safe for a terminal, and on one line.
void append_plain(std::string& out, std::string_view text) {
    out += terminal_text(text, Lines::kJoined);
}

}  // namespace

std::string_view to_string(LogLevel level) noexcept {
    return kWords[static_cast<std::size_t>(level)];
}

std::optional<LogLevel> log_level_from(std::string_view word) noexcept {
    for (std::size_t i = 0; i < kWords.size(); ++i) {
        if (kWords[i] == word) return static_cast<LogLevel>(i);
    }
    return std::nullopt;
}

Log::Log(LogOptions options, int fd, const Redactor* redactor) : fd_(fd), redactor_(redactor) {
    configure(options);
    tail_.tell_left_out([this](std::string_view server, std::uint64_t count) {
        const std::array<Field, 2> fields = {{{"server", server}, {"stream", "stderr"}}};
        put_together(true, LogLevel::kWarning,
                     std::to_string(count) + " lines of its standard error were dropped: it writes too many", fields);
        return line_;
    });
}

void Log::configure(LogOptions options) {
    options_ = options;
    json_ = options.form == LogForm::kJson || (options.form == LogForm::kAuto && ::isatty(fd_) == 0);
}

void Log::put_together(bool json, LogLevel level, std::string_view message, std::span<const Field> fields) {
    line_.clear();
    // Redact before truncating: half a secret would not be recognised.
    std::string masked;
    if (redactor_ != nullptr && message.size() > kLongestLine / 2)
        message = masked = redactor_->masked(std::string(message));
    message = message.substr(0, kLongestLine / 2);
    const auto has_room = [this](std::string_view value) {
        return !value.empty() && line_.size() + value.size() <= kLongestLine - 64;
    };
    if (json) {
        line_.append(R"({"time":")");
        append_time(line_, true);
        line_.append(R"(","level":")").append(to_string(level)).append(R"(","message":)");
        json::quote_to(message, line_);
        for (const auto& [key, value] : fields) {
            if (!has_room(value)) continue;
            line_.append(",");
            json::quote_to(key, line_);
            line_.append(":");
            json::quote_to(value, line_);
        }
        line_.append("}");
    } else {
        append_time(line_, false);
        line_.append(" ").append(to_string(level)).append(9 - to_string(level).size(), ' ');
        append_plain(line_, message);
        for (const auto& [key, value] : fields) {
            if (!has_room(value)) continue;
            line_.append("  ").append(key).append("=");
            append_plain(line_, value);
        }
    }
    if (redactor_ != nullptr && redactor_->touches(line_)) line_ = redactor_->masked(std::move(line_));
}

void Log::write(LogLevel level, std::string_view message, std::initializer_list<Field> fields) noexcept {
    const bool kept = level >= lowest_kept();
    if (kept) {
        put_together(true, level, message, fields);
        const auto* const about = std::ranges::find(fields, "server", &Field::first);
        tail_.add(level, about == fields.end() ? std::string_view() : about->second, line_);
    }
    if (level >= options_.level) tell(level, message, fields, kept);
}

void Log::write_stderr(std::string_view server, std::string_view line, bool told) noexcept {
    const std::array<Field, 2> fields = {{{"server", server}, {"stream", "stderr"}}};
    const bool kept = tail_.admits(server, SteadyClock::now());
    if (kept) {
        put_together(true, LogLevel::kInfo, line, fields);
        tail_.add_from(server, line_);
    }
    if (told && LogLevel::kInfo >= options_.level) tell(LogLevel::kInfo, line, fields, kept);
}

/// `is_json`: line_ already holds the line as JSON.
void Log::tell(LogLevel level, std::string_view message, std::span<const Field> fields, bool is_json) {
    if (!json_ || !is_json) put_together(json_, level, message, fields);
    line_.append("\n");
    if (!send(line_)) {
        ++dropped_;
        ++untold_;
    } else if (untold_ != 0) {
        const std::uint64_t lost = std::exchange(untold_, 0);
        write(LogLevel::kWarning, "log lines were lost, because the log was not read: " + std::to_string(lost));
    }
}

bool Log::send(std::string_view line) noexcept {
    pollfd ready{.fd = fd_, .events = POLLOUT, .revents = 0};
    if (::poll(&ready, 1, 0) != 1 || (ready.revents & POLLOUT) == 0) return false;
    return ::write(fd_, line.data(), line.size()) == static_cast<ssize_t>(line.size());
}

void LogLines::heard(const Record& record) noexcept {
    if (record.is_call) return tell_call(record);
    if (log_.says(LogLevel::kDebug))
        log_.write(LogLevel::kDebug, record.type(),
                   {{"subject", record.texts[Record::kName]},
                    {"correlation_id", record.texts[Record::kCorrelation]},
                    {"data", record.texts[Record::kData]}});
}

void LogLines::tell_call(const Record& record) noexcept {
    const LogLevel level = all_calls_ ? LogLevel::kInfo : LogLevel::kDebug;
    if (!log_.says(level)) return;
    std::array<char, 24> took{};
    const auto micros = std::chrono::duration_cast<std::chrono::microseconds>(record.took).count();
    std::snprintf(took.data(), took.size(), "%lld", static_cast<long long>(micros));
    std::string_view outcome = "ok";
    if (record.ending == Ending::kToolFailed) outcome = "tool_failed";
    if (record.ending == Ending::kAskedBack) outcome = "asked_back";
    if (record.ending == Ending::kError) outcome = error_word(record.code);
    log_.write(level, method_of(record.verb),
               {{"correlation_id", record.texts[Record::kCorrelation]},
                {"name", record.texts[Record::kName]},
                {"principal", record.texts[Record::kPrincipal]},
                {"server", record.texts[Record::kSource]},
                {"outcome", outcome},
                {"took_us", took.data()}});
}

}  // namespace gantry::gateway::events
