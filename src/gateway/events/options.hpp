#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.hpp"

namespace gantry::gateway {

/// Whether an answer waits until what happened is on disk.
enum class AuditMode : std::uint8_t { kOff, kAsync, kBeforeAnswer };
/// What becomes of calls while records cannot be written.
enum class OnAuditFailure : std::uint8_t { kContinue, kRefuse };
/// How much of a call's arguments a record has.
enum class ArgumentRecord : std::uint8_t { kSize, kDigest, kValues };

struct AuditOptions {
    AuditMode mode = AuditMode::kAsync;
    OnAuditFailure on_failure = OnAuditFailure::kContinue;
    ArgumentRecord arguments = ArgumentRecord::kDigest;
    /// Older entries go; so do the oldest beyond the number.
    Duration retain = std::chrono::hours(24 * 90);
    std::size_t retain_entries = 10'000'000;
    /// In async mode what happened is written this much later at most, in one go.
    Duration gather = milliseconds(50);
    /// How long another program may keep the database locked.
    Duration busy = seconds(5);
    /// While the store fails, it is tried again this often.
    Duration retry = seconds(1);
    /// Room for what is not written yet; beyond, records are lost, counted and told.
    std::size_t queue_bytes = 4u << 20;

    bool operator==(const AuditOptions&) const = default;
};

struct WebhookOptions {
    std::string name;
    std::string url;
    /// Signs what is sent; "whsec_…" in base64 or as it is.
    std::string secret;
    /// Patterns on event types without "gantry." and ".v1": "tool.failed", "source.*". Empty: all.
    std::vector<std::string> events = {};
    std::vector<std::pair<std::string, std::string>> headers = {};
    Duration timeout = seconds(15);
    std::size_t max_attempts = 8;
    /// Before the second attempt; doubles each time, up to an hour.
    Duration first_retry = seconds(5);
    /// May reach private addresses: for receivers on this machine or network.
    bool allow_private = false;

    bool operator==(const WebhookOptions&) const = default;
};

struct TraceOptions {
    /// Where an OTLP/HTTP collector takes traces, e.g. http://127.0.0.1:4318/v1/traces. Empty: none are sent.
    std::string url = {};
    std::vector<std::pair<std::string, std::string>> headers = {};
    std::string service_name = "gantry";
    /// Of the calls that nobody decided about before.
    double sample = 1.0;
    std::size_t max_queue = 2048;
    std::size_t max_batch = 256;
    Duration interval = seconds(5);
    Duration timeout = seconds(10);

    bool operator==(const TraceOptions&) const = default;
};

struct MetricsOptions {
    bool enabled = true;
    /// Whether only this machine may read them.
    bool local_only = true;
    std::size_t max_series = 2000;

    bool operator==(const MetricsOptions&) const = default;
};

struct FeedOptions {
    bool enabled = true;
    bool local_only = true;
    std::size_t max_subscribers = 32;
    /// Waiting for one subscriber; what comes beyond is counted and told.
    std::size_t max_pending = 1024;

    bool operator==(const FeedOptions&) const = default;
};

enum class LogLevel : std::uint8_t { kDebug, kInfo, kWarning, kError };
/// kAuto: for people where somebody sits at a terminal, otherwise one JSON object per line.
enum class LogForm : std::uint8_t { kAuto, kText, kJson };

struct LogOptions {
    LogLevel level = LogLevel::kInfo;
    LogForm form = LogForm::kAuto;
    /// A line for every call.
    bool calls = false;

    bool operator==(const LogOptions&) const = default;
};

/// What is recorded of what happens, and who is told.
struct EventsOptions {
    AuditOptions audit = {};
    std::vector<WebhookOptions> webhooks = {};
    TraceOptions traces = {};
    MetricsOptions metrics = {};
    FeedOptions feed = {};
    LogOptions log = {};
};

}  // namespace gantry::gateway
