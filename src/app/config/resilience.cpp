#include "app/config/resilience.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace gantry::app {
namespace {

using gateway::BreakerOptions;
using gateway::Connect;
using gateway::McpServerSpec;
using gateway::OnConnectError;
using gateway::OnToolChange;
using gateway::Rate;

Setting<Rate> parse_rate(const Json& json) {
    const auto expected = std::unexpected<std::string>("expected a rate such as 10/s, 60/m or 1000/h");
    const auto text = read_text(json);
    if (!text) return expected;
    double count = 0;
    const auto [end, fault] = std::from_chars(text->data(), text->data() + text->size(), count);
    const std::string_view unit = std::string_view(*text).substr(static_cast<std::size_t>(end - text->data()));
    double per = 0;
    if (unit.empty() || unit == "/s") per = 1;
    if (unit == "/m") per = 60;
    if (unit == "/h") per = 3600;
    if (fault != std::errc() || !(count > 0) || count > 1e9 || per == 0) return expected;
    // The burst equals the count: sixty a minute allows any sixty.
    return Rate{.per_second = count / per, .burst = std::max(count, 1.0)};
}

/// As the file would spell it, in the largest unit that fits the burst; empty: any rate.
Json shown_rate(const Rate& rate) {
    if (rate.per_second == 0) return "";
    static constexpr std::pair<double, const char*> kUnits[] = {{1, "/s"}, {60, "/m"}, {3600, "/h"}};
    for (const auto& [seconds, unit] : kUnits) {
        const double count = rate.per_second * seconds;
        if (std::abs(std::max(count, 1.0) - rate.burst) < 1e-9 * rate.burst) return Json(count).dump() + unit;
    }
    return Json(JsonArray{rate.per_second, rate.burst});
}

/// A word for a complete set, or the details.
void read_breaker(Section& section, BreakerOptions& breaker) {
    const auto node = section.find(
        "breaker", About("Circuit breaker: when calls to a failing server stop, and for how long; `patient` "
                         "is `{recovery: 60s, test_calls: 1}`.")
                       .by_default("`standard`"));
    if (!node) return;
    if (node->shape != nullptr) node->shape->may_be_word({"standard", "patient", "off"});
    if (const std::string* word = node->json.if_string(); word != nullptr) {
        if (*word == "patient") {
            breaker = {.recovery = seconds(60), .test_calls = 1};
        } else if (*word == "off") {
            breaker.enabled = false;
        } else if (*word != "standard") {
            node->refuse("expected one of: standard, patient, off; or a map with threshold, recovery, test_calls");
        }
        return;
    }
    Section details(*node);
    details.read("threshold", breaker.threshold, read_positive, "Consecutive failures that open it.");
    details.read("recovery", breaker.recovery, read_duration,
                 "How long it stays open before test calls are let through.");
    details.read("test_calls", breaker.test_calls, read_positive, "Test calls at once.");
    details.read("successes", breaker.successes, read_positive, "Successful test calls that close it.");
}

void read_tool_rates(Section& section, McpServerSpec& server) {
    const auto node = section.find(
        "tool_rates",
        About("Limit for each tool; the first pattern that matches the server's own name counts.").by_default("none"));
    if (!node) return;
    if (node->shape != nullptr) node->shape->add_type("map of patterns to rates");
    if (node->shape != nullptr) node->shape->member(JsonObject{{"type", "string"}}).may_be(read_rate.schema());
    const JsonObject* rates = node->json.if_object();
    if (rates == nullptr) return node->refuse("expected a map from patterns on tool names to rates");
    for (const auto& [pattern, value] : *rates) {
        if (auto rate = read_rate(value)) {
            server.limits.tool_rates.emplace_back(pattern, *rate);
        } else {
            node->member(pattern, value).refuse(rate.error());
        }
    }
}

void read_retries(Section& section, gateway::RetryOptions& retry) {
    section.read("trust_hints", retry.trust_hints, read_bool,
                 "Trust the `readOnlyHint` and `idempotentHint` that tools declare.");
    const auto node = section.find("retries", "How calls that certainly did not run are retried.");
    if (!node) return;
    Section details(*node);
    details.read("attempts", retry.attempts, read_positive, "Attempts in all; 1: never retry.");
    details.read("first", retry.first, read_duration, "First back-off; doubles with each attempt.");
    details.read("longest", retry.longest, read_duration, "Longest back-off.");
    details.read("after_timeout", retry.after_timeout, read_bool,
                 "Also retry calls that timed out, if the tool declares itself idempotent.");
}

void read_connecting(Section& section, McpServerSpec& server) {
    section.choose<Connect>("connect", server.connect, {{"eager", Connect::kEager}, {"lazy", Connect::kLazy}},
                            "`lazy`: connected by the first call and closed after `idle_close`.");
    const auto live = section.keys_apply(Reload::kAtOnce);
    section.choose<OnConnectError>("on_connect_error", server.on_connect_error,
                                   {{"drop", OnConnectError::kDrop}, {"fail", OnConnectError::kFail}},
                                   "`fail`: the gateway does not start without this server.");
    section.choose<OnToolChange>("on_tool_change", server.on_tool_change,
                                 {{"report", OnToolChange::kReport}, {"quarantine", OnToolChange::kQuarantine}},
                                 "`quarantine`: a tool whose description changed is hidden until an operator accepts "
                                 "it.");
    section.read("connect_timeout", server.connect_timeout, read_duration,
                 About("Limit for one attempt to connect; programs that fetch are npx, npm, pnpm, yarn, bunx, uvx, uv, "
                       "pipx, docker and podman.",
                       Reload::kReconnect)
                     .by_default("`10s`; `60s` for programs that fetch the server first"));
}

}  // namespace

constinit const Kind<Rate> read_rate{&parse_rate,
                                     [] {
                                         return Json(JsonObject{{"type", JsonArray{"string", "number"}},
                                                                {"pattern", "^[0-9]+(\\.[0-9]+)?(/[smh])?$"},
                                                                {"exclusiveMinimum", 0}});
                                     },
                                     &shown_rate, "rate"};

void read_resilience(Section& section, McpServerSpec& server) {
    gateway::SourceLimits& limits = server.limits;
    read_connecting(section, server);
    const auto live = section.keys_apply(Reload::kAtOnce);
    read_breaker(section, limits.breaker);
    section.read("max_concurrent", limits.concurrency.running, read_count, "Calls in flight at once; 0: any number.");
    section.read("max_queue", limits.concurrency.waiting, read_count,
                 "Calls that wait for a free slot; further calls are refused.");
    section.read("queue_timeout", limits.concurrency.queue_timeout, read_duration,
                 "How long a call waits for a free slot.");
    section.read("rate", limits.rate, read_rate, About("Limit for all calls to the server.").by_default("any"));
    read_tool_rates(section, server);
    read_retries(section, limits.retry);
}

}  // namespace gantry::app
