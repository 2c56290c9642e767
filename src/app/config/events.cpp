#include "app/config/events.hpp"

#include <algorithm>

#include "app/config/servers.hpp"

namespace gantry::app {
namespace {

using gateway::ArgumentRecord;
using gateway::AuditMode;
using gateway::EventNames;
using gateway::OnAuditFailure;
using gateway::ResultRecord;
using gateway::WebhookOptions;
using Headers = std::vector<std::pair<std::string, std::string>>;

constexpr std::int64_t kMostDays = 36500;
constexpr auto kDay = std::chrono::hours(24);

Setting<Duration> parse_days(const Json& json) {
    const auto days = json.as_int();
    if (!days || *days < 1 || *days > kMostDays) return std::unexpected("expected a number of days, at least 1");
    return kDay * *days;
}
constinit const Kind<Duration> kDays{
    &parse_days, [] { return Json(JsonObject{{"type", "integer"}, {"minimum", 1}, {"maximum", kMostDays}}); },
    [](const Duration& days) { return Json(days / kDay); }, "number"};

Setting<double> parse_share(const Json& json) {
    const auto share = json.as_double();
    if (!share || !(*share >= 0) || *share > 1) return std::unexpected("expected a number from 0 to 1");
    return *share;
}
constinit const Kind<double> kShare{&parse_share,
                                    [] { return Json(JsonObject{{"type", "number"}, {"minimum", 0}, {"maximum", 1}}); },
                                    [](const double& share) { return Json(share); }, "0 to 1"};

void read_audit(const Node& node, gateway::AuditOptions& audit) {
    Section section(node);
    section.choose<AuditMode>(
        "mode", audit.mode,
        {{"off", AuditMode::kOff}, {"async", AuditMode::kAsync}, {"before-answer", AuditMode::kBeforeAnswer}},
        About("`before-answer`: a response waits until its record is on disk; `async`: no call waits.")
            .to_or_from("off", Reload::kNextStart));
    section.choose<OnAuditFailure>("on_failure", audit.on_failure,
                                   {{"continue", OnAuditFailure::kContinue}, {"refuse", OnAuditFailure::kRefuse}},
                                   "`refuse`: no call runs while records cannot be written.");
    section.choose<ArgumentRecord>(
        "arguments", audit.arguments,
        {{"size", ArgumentRecord::kSize}, {"digest", ArgumentRecord::kDigest}, {"values", ArgumentRecord::kValues}},
        "What is recorded of a call's arguments: their size, also a keyed digest of the first 16 KB, or also the "
        "values "
        "up to 16 KB.");
    section.choose<ResultRecord>("results", audit.results,
                                 {{"size", ResultRecord::kSize}, {"values", ResultRecord::kValues}},
                                 "What is recorded of a tool's result: its size, or also the values up to 16 KB.");
    section.read("retain_days", audit.retain, kDays, "Older entries are deleted.");
    section.read("retain_entries", audit.retain_entries, read_positive,
                 "The oldest entries beyond this number are deleted.");
    section.read("gather", audit.gather, read_duration, "`async`: how long records are gathered for one write.");
    section.read("queue_bytes", audit.queue_bytes, read_size,
                 {"Records that are not written yet; beyond it records are lost, and the loss is counted and reported.",
                  Reload::kNextStart});
}

void read_headers(Section& section, Headers& headers, const About& about) {
    section.read_map(
        "headers", "^[A-Za-z0-9!#$%&'*+.^_`|~-]+$",
        [&headers](const std::string& name, std::string value) -> std::string_view {
            if (value.find_first_of("\r\n") != std::string::npos) return "a header's value is one line";
            headers.emplace_back(name, std::move(value));
            return {};
        },
        about);
}

void read_webhook(const Node& node, const std::string* given_name, std::vector<WebhookOptions>& webhooks) {
    WebhookOptions webhook;
    if (given_name != nullptr) webhook.name = *given_name;
    {
        Section section(node, "a webhook with `url` and `secret`");
        if (given_name == nullptr) {
            section.read("name", webhook.name, read_name,
                         About("Names the webhook in the log; its pending deliveries belong to this name.")
                             .by_default("required in a list"));
            section.require("name", "needs a name");
        }
        section.read("url", webhook.url, read_url, About("Where events are sent.").by_default("required"));
        section.read("secret", webhook.secret, read_text,
                     About("Signs what is sent: at least 16 bytes, or `whsec_` and base64.").by_default("required"));
        section.require("url", "needs a url");
        section.require("secret", "needs a secret, by which the receiver recognises the sender");
        section.read_patterns("events", webhook.events,
                              About("Event types, e.g. `tool.failed` or `source.*`.").by_default("all"));
        section.choose<EventNames>("names", webhook.names, {{"gantry", EventNames::kGantry}, {"mcp", EventNames::kMcp}},
                                   "`mcp`: calls of tools are sent as `mcp.tool_called` and `mcp.tool_failed`.");
        read_headers(section, webhook.headers, About("HTTP headers sent along.").by_default("none"));
        section.read("timeout", webhook.timeout, read_duration, "How long the receiver may take.");
        section.read("max_attempts", webhook.max_attempts, read_positive,
                     "After this many attempts a delivery is a dead letter.");
        section.read("first_retry", webhook.first_retry, read_duration,
                     "Back-off before the second attempt; doubles up to an hour.");
        section.read("allow_private", webhook.allow_private, read_bool,
                     "`true`: the receiver may be on this machine or in a private network.");
    }
    if (node.shape != nullptr) return;
    const auto same_name = [&](const WebhookOptions& other) { return other.name == webhook.name; };
    if (std::ranges::any_of(webhooks, same_name))
        return node.refuse("there is already a webhook '" + webhook.name + "'");
    webhooks.push_back(std::move(webhook));
}

void read_feed(const Node& node, gateway::FeedOptions& feed) {
    Section section(node);
    section.read("enabled", feed.enabled, read_bool, "Serve `GET /events`, the live feed.");
    section.read("local_only", feed.local_only, read_bool,
                 "Only for this machine: loopback address, loopback `Host`, no forwarding headers.");
    section.read("max_subscribers", feed.max_subscribers, read_count, "Readers at once.");
}

void read_metrics(const Node& node, gateway::MetricsOptions& metrics) {
    Section section(node);
    section.read("enabled", metrics.enabled, read_bool, "Serve `GET /metrics` for Prometheus.");
    section.read("local_only", metrics.local_only, read_bool,
                 "Only for this machine: loopback address, loopback `Host`, no forwarding headers.");
    section.read("max_series", metrics.max_series, read_count, "Tools beyond this number share one series per server.");
}

void read_traces(const Node& node, gateway::TraceOptions& traces) {
    Section section(node);
    section.read("url", traces.url, read_url, About("OTLP/HTTP collector.").by_default("none: no traces"));
    read_headers(section, traces.headers, About("HTTP headers sent to the collector.").by_default("none"));
    section.read("service_name", traces.service_name, read_text, "Name of this gateway in traces.");
    section.read("sample", traces.sample, kShare, "Share of calls that are traced, where the caller did not decide.");
}

void read_log(const Node& node, gateway::LogOptions& log) {
    using gateway::LogForm;
    using gateway::LogLevel;
    Section section(node);
    section.choose<LogLevel>("level", log.level,
                             {{"debug", LogLevel::kDebug},
                              {"info", LogLevel::kInfo},
                              {"warning", LogLevel::kWarning},
                              {"error", LogLevel::kError}},
                             "Lower levels are not logged.");
    section.choose<LogForm>("form", log.form,
                            {{"auto", LogForm::kAuto}, {"text", LogForm::kText}, {"json", LogForm::kJson}},
                            "`auto`: text on a terminal, otherwise JSON, one object per line.");
    section.read("calls", log.calls, read_bool, "Log one line per call; the same as `--log-calls`.");
}

}  // namespace

void read_events(Section& top, Config& config) {
    gateway::EventsOptions& events = config.events;
    if (const auto node = top.find("audit", "The audit log: a record of every call.")) read_audit(*node, events.audit);
    if (const auto node = top.find("webhooks", About("Receivers of events.").by_default("none")))
        each_named(*node, "webhooks",
                   [&](const Node& entry, const std::string* name) { read_webhook(entry, name, events.webhooks); });
    if (const auto node = top.find("feed", "The live feed of events at `/events`.")) read_feed(*node, events.feed);
    if (const auto node = top.find("metrics", "Metrics for Prometheus at `/metrics`."))
        read_metrics(*node, events.metrics);
    if (const auto node = top.find("traces", "Distributed traces of calls.")) read_traces(*node, events.traces);
    if (const auto node = top.find("log", "The log on standard error.")) read_log(*node, events.log);
}

}  // namespace gantry::app
