#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.hpp"

namespace gantry::gateway {

/// Whether an answer waits until its record is durable.
enum class AuditMode : std::uint8_t { kOff, kAsync, kBeforeAnswer };
/// Whether calls run while records cannot be written.
enum class OnAuditFailure : std::uint8_t { kContinue, kRefuse };
/// How much of a call's arguments a record holds.
enum class ArgumentRecord : std::uint8_t { kSize, kDigest, kValues };

/// How much of a tool's result a record holds.
enum class ResultRecord : std::uint8_t { kSize, kValues };

/// The names under which events are delivered. kMcp: calls of tools are "mcp.tool_called" and "mcp.tool_failed", with
/// the members that agent runtimes expect; see event_names.hpp. Everything else has its usual name.
enum class EventNames : std::uint8_t { kGantry, kMcp };

struct AuditOptions {
    AuditMode mode = AuditMode::kAsync;
    OnAuditFailure on_failure = OnAuditFailure::kContinue;
    ArgumentRecord arguments = ArgumentRecord::kDigest;
    ResultRecord results = ResultRecord::kSize;
    /// Entries older than this are deleted; so are the oldest ones beyond the number.
    Duration retain = std::chrono::hours(24 * 90);
    std::size_t retain_entries = 10'000'000;
    /// In async mode records are batched for at most this long before a commit.
    Duration gather = milliseconds(50);
    /// How long another process may hold the database lock.
    Duration busy = seconds(5);
    /// Retry interval while the store fails.
    Duration retry = seconds(1);
    /// Queue bound; records beyond it are lost, counted and reported.
    std::size_t queue_bytes = 4u << 20;

    bool operator==(const AuditOptions&) const = default;
};

struct WebhookOptions {
    std::string name;
    std::string url;
    /// Signing key of deliveries; "whsec_…" in base64, or any text, used as it is.
    std::string secret;
    /// Patterns on event types without "gantry." and ".v1": "tool.failed", "source.*". Empty: all.
    std::vector<std::string> events = {};
    EventNames names = EventNames::kGantry;
    std::vector<std::pair<std::string, std::string>> headers = {};
    Duration timeout = seconds(15);
    std::size_t max_attempts = 8;
    /// Back-off before the second attempt; doubles each time, up to an hour.
    Duration first_retry = seconds(5);
    /// Allows private addresses: for receivers on this machine or network.
    bool allow_private = false;

    bool operator==(const WebhookOptions&) const = default;
};

struct TraceOptions {
    /// URL of an OTLP/HTTP collector for traces, e.g. http://127.0.0.1:4318/v1/traces. Empty: tracing is off.
    std::string url = {};
    std::vector<std::pair<std::string, std::string>> headers = {};
    std::string service_name = "gantry";
    /// Sampled fraction of calls whose caller made no sampling decision.
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
    /// Queue bound per subscriber; events beyond it are counted and reported.
    std::size_t max_pending = 1024;

    bool operator==(const FeedOptions&) const = default;
};

enum class LogLevel : std::uint8_t { kDebug, kInfo, kWarning, kError };
/// kAuto: text on a terminal, otherwise one JSON object per line.
enum class LogForm : std::uint8_t { kAuto, kText, kJson };

struct LogOptions {
    LogLevel level = LogLevel::kInfo;
    LogForm form = LogForm::kAuto;
    /// Log a line for every call.
    bool calls = false;

    bool operator==(const LogOptions&) const = default;
};

/// Recording, delivery, telemetry and logging of events.
struct EventsOptions {
    AuditOptions audit = {};
    std::vector<WebhookOptions> webhooks = {};
    TraceOptions traces = {};
    MetricsOptions metrics = {};
    FeedOptions feed = {};
    LogOptions log = {};
};

}  // namespace gantry::gateway
