#include "app/config/events.hpp"

#include <algorithm>

#include "app/config/servers.hpp"

namespace gantry::app {
namespace {

using gateway::ArgumentRecord;
using gateway::AuditMode;
using gateway::OnAuditFailure;
using gateway::WebhookOptions;
using Headers = std::vector<std::pair<std::string, std::string>>;

Setting<Duration> read_days(const Json& json) {
    const auto days = json.as_int();
    if (!days || *days < 1 || *days > 36500) return std::unexpected("expected a number of days, at least 1");
    return std::chrono::hours(24 * *days);
}

Setting<double> read_share(const Json& json) {
    const auto share = json.as_double();
    if (!share || !(*share >= 0) || *share > 1) return std::unexpected("expected a number from 0 to 1");
    return *share;
}

void read_audit(const Node& node, gateway::AuditOptions& audit) {
    Section section(node);
    section.choose<AuditMode>(
        "mode", audit.mode,
        {{"off", AuditMode::kOff}, {"async", AuditMode::kAsync}, {"before-answer", AuditMode::kBeforeAnswer}},
        "async: no call waits for its record; before-answer: an answer waits until its record is on disk.");
    section.choose<OnAuditFailure>("on_failure", audit.on_failure,
                                   {{"continue", OnAuditFailure::kContinue}, {"refuse", OnAuditFailure::kRefuse}},
                                   "refuse: nothing runs while records cannot be written.");
    section.choose<ArgumentRecord>(
        "arguments", audit.arguments,
        {{"size", ArgumentRecord::kSize}, {"digest", ArgumentRecord::kDigest}, {"values", ArgumentRecord::kValues}},
        "How much of a call's arguments is recorded.");
    section.read("retain_days", audit.retain, read_days, "Older entries go.");
    section.read("retain_entries", audit.retain_entries, read_positive, "The oldest entries beyond this number go.");
    section.read("gather", audit.gather, read_duration, "async: how long records gather for one write.");
    section.read("queue_bytes", audit.queue_bytes, read_size,
                 "Room for records that are not written yet; beyond, they are lost, counted and told.");
}

void read_headers(Section& section, Headers& headers, std::string_view description) {
    section.read_map(
        "headers", "^[A-Za-z0-9!#$%&'*+.^_`|~-]+$",
        [&headers](const std::string& name, std::string value) -> std::string_view {
            if (value.find_first_of("\r\n") != std::string::npos) return "a header's value is one line";
            headers.emplace_back(name, std::move(value));
            return {};
        },
        description);
}

void read_webhook(const Node& node, const std::string* given_name, std::vector<WebhookOptions>& webhooks) {
    WebhookOptions webhook;
    if (given_name != nullptr) webhook.name = *given_name;
    {
        Section section(node, "a webhook with `url` and `secret`");
        if (given_name == nullptr) {
            section.read("name", webhook.name, read_name, "Names the webhook in the log; its deliveries belong to it.");
            section.require("name", "needs a name");
        }
        section.read("url", webhook.url, read_url, "Where events are sent.");
        section.read("secret", webhook.secret, read_text,
                     "Signs what is sent: at least 16 bytes, or whsec_ and base64.");
        section.require("url", "needs a url");
        section.require("secret", "needs a secret: whoever receives events must know who sends them");
        section.read_list("events", webhook.events, "Patterns on types, e.g. tool.failed or source.*; default: all.");
        read_headers(section, webhook.headers, "HTTP headers sent along.");
        section.read("timeout", webhook.timeout, read_duration, "How long the receiver may take.");
        section.read("max_attempts", webhook.max_attempts, read_positive, "After so many an event is a dead letter.");
        section.read("first_retry", webhook.first_retry, read_duration,
                     "Before the second attempt; doubles each time, up to an hour.");
        section.read("allow_private", webhook.allow_private, read_bool,
                     "The receiver may be on this machine or in a private network.");
    }
    if (node.shape != nullptr) return;
    const auto same_name = [&](const WebhookOptions& other) { return other.name == webhook.name; };
    if (std::ranges::any_of(webhooks, same_name))
        return node.refuse("there is already a webhook '" + webhook.name + "'");
    webhooks.push_back(std::move(webhook));
}

void read_feed(const Node& node, gateway::FeedOptions& feed) {
    Section section(node);
    section.read("enabled", feed.enabled, read_bool, "Whether GET /events tells what happens while it happens.");
    section.read("local_only", feed.local_only, read_bool,
                 "Only this machine may read it: loopback address and Host, and not through a proxy.");
    section.read("max_subscribers", feed.max_subscribers, read_count, "Readers at once.");
}

void read_metrics(const Node& node, gateway::MetricsOptions& metrics) {
    Section section(node);
    section.read("enabled", metrics.enabled, read_bool, "Whether GET /metrics answers Prometheus.");
    section.read("local_only", metrics.local_only, read_bool,
                 "Only this machine may read it: loopback address and Host, and not through a proxy.");
    section.read("max_series", metrics.max_series, read_count, "Tools beyond share one series per server.");
}

void read_traces(const Node& node, gateway::TraceOptions& traces) {
    Section section(node);
    section.read("url", traces.url, read_url, "Where an OTLP/HTTP collector takes traces; default: none are made.");
    read_headers(section, traces.headers, "HTTP headers sent to the collector.");
    section.read("service_name", traces.service_name, read_text, "What this gateway is called in traces.");
    section.read("sample", traces.sample, read_share, "Share of calls, 0 to 1, whose callers decided nothing.");
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
                             "Nothing below is told.");
    section.choose<LogForm>("form", log.form,
                            {{"auto", LogForm::kAuto}, {"text", LogForm::kText}, {"json", LogForm::kJson}},
                            "auto: text on a terminal, otherwise JSON.");
    section.read("calls", log.calls, read_bool, "A line for every call.");
}

}  // namespace

void read_events(Section& top, Config& config) {
    gateway::EventsOptions& events = config.events;
    if (const auto node = top.find("audit", "What is recorded of what happens.")) read_audit(*node, events.audit);
    if (const auto node = top.find("webhooks", "Who is sent events: a list of maps with names, or a map from names."))
        each_named(*node, "webhooks",
                   [&](const Node& entry, const std::string* name) { read_webhook(entry, name, events.webhooks); });
    if (const auto node = top.find("feed", "Events as they happen, at /events.")) read_feed(*node, events.feed);
    if (const auto node = top.find("metrics", "Figures for Prometheus, at /metrics."))
        read_metrics(*node, events.metrics);
    if (const auto node = top.find("traces", "Calls as spans of distributed traces."))
        read_traces(*node, events.traces);
    if (const auto node = top.find("log", "What is told on standard error.")) read_log(*node, events.log);
}

}  // namespace gantry::app
