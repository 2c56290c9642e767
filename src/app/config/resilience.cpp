#include "app/config/resilience.hpp"

#include <charconv>

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

/// A word for a complete set, or the details.
void read_breaker(Section& section, BreakerOptions& breaker) {
    const auto node =
        section.find("breaker", "Circuit breaker: when calls to a failing server stop, and for how long.");
    if (!node) return;
    if (node->shape != nullptr) node->shape->may_be(JsonObject{{"enum", JsonArray{"standard", "patient", "off"}}});
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
    details.read("threshold", breaker.threshold, read_positive, "Failures in a row that open it.");
    details.read("recovery", breaker.recovery, read_duration, "How long it stays open before calls test the server.");
    details.read("test_calls", breaker.test_calls, read_positive, "Test calls at once.");
    details.read("successes", breaker.successes, read_positive, "Successful test calls that close it.");
}

void read_tool_rates(Section& section, McpServerSpec& server) {
    const auto node =
        section.find("tool_rates", "How often each tool may be called: patterns on the server's own names to rates.");
    if (!node) return;
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
                 "Trust the readOnlyHint and idempotentHint that tools declare.");
    const auto node = section.find("retries", "How calls are made again that surely did not run.");
    if (!node) return;
    Section details(*node);
    details.read("attempts", retry.attempts, read_positive, "Attempts in all; 1: a call is made once.");
    details.read("first", retry.first, read_duration, "The first pause; it doubles.");
    details.read("longest", retry.longest, read_duration, "The longest pause.");
    details.read("after_timeout", retry.after_timeout, read_bool,
                 "Also repeat calls that timed out, if the tool declares itself idempotent.");
}

void read_connecting(Section& section, McpServerSpec& server) {
    section.choose<Connect>("connect", server.connect, {{"eager", Connect::kEager}, {"lazy", Connect::kLazy}},
                            "lazy: closed when unused for idle_close, opened by the next call.");
    section.choose<OnConnectError>("on_connect_error", server.on_connect_error,
                                   {{"drop", OnConnectError::kDrop}, {"fail", OnConnectError::kFail}},
                                   "fail: without this server the gateway does not start.");
    section.choose<OnToolChange>("on_tool_change", server.on_tool_change,
                                 {{"report", OnToolChange::kReport}, {"quarantine", OnToolChange::kQuarantine}},
                                 "A tool described differently from before: told, or also hidden until accepted.");
    section.read("connect_timeout", server.connect_timeout, read_duration,
                 "How long one attempt to connect may take; default 10s, 60s for programs that fetch the server.");
}

}  // namespace

constinit const Kind<Rate> read_rate{&parse_rate,
                                     [] {
                                         return Json(JsonObject{{"type", JsonArray{"string", "number"}},
                                                                {"pattern", "^[0-9]+(\\.[0-9]+)?(/[smh])?$"},
                                                                {"exclusiveMinimum", 0}});
                                     },
                                     [](const Rate&) { return Json(""); }};

void read_resilience(Section& section, McpServerSpec& server) {
    gateway::SourceLimits& limits = server.limits;
    read_connecting(section, server);
    read_breaker(section, limits.breaker);
    section.read("max_concurrent", limits.concurrency.running, read_count, "Calls at once; 0: any number.");
    section.read("max_queue", limits.concurrency.waiting, read_count,
                 "Calls that wait for a place; the next is refused.");
    section.read("queue_timeout", limits.concurrency.queue_timeout, read_duration, "How long one waits for a place.");
    section.read("rate", limits.rate, read_rate, "How often the server may be called; without this: any number.");
    read_tool_rates(section, server);
    read_retries(section, limits.retry);
}

}  // namespace gantry::app
