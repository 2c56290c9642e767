#include "app/config/events.hpp"

#include <gmock/gmock.h>

namespace gantry::app {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

gateway::EventsOptions parsed(const std::string& text) {
    auto config = parse_config(text, "gantry.yaml");
    EXPECT_TRUE(config.has_value()) << config.error().message();
    return config ? config->events : gateway::EventsOptions();
}

std::string refused(const std::string& text) {
    auto config = parse_config(text, "gantry.yaml");
    return config ? "was taken" : config.error().message();
}

TEST(EventsConfig, AnEmptyFileRecordsInTheBackground) {
    const auto events = parsed("");
    EXPECT_EQ(events.audit.mode, gateway::AuditMode::kAsync);
    EXPECT_EQ(events.audit.on_failure, gateway::OnAuditFailure::kContinue);
    EXPECT_EQ(events.audit.arguments, gateway::ArgumentRecord::kDigest);
    EXPECT_TRUE(events.metrics.enabled);
    EXPECT_TRUE(events.metrics.local_only);
    EXPECT_EQ(events.traces.url, "");
}

TEST(EventsConfig, EveryKeyIsRead) {
    const auto events = parsed(R"(
audit: {mode: before-answer, on_failure: refuse, arguments: size, results: values, retain_days: 7, retain_entries: 1000, gather: 20ms, queue_bytes: 1MB}
feed: {enabled: false, local_only: false, max_subscribers: 3}
webhooks:
  - name: pager
    url: https://pager.example/hook
    secret: ${PAGER_SECRET}
    events: [tool.failed, "source.*"]
    names: mcp
    headers: {X-Team: ops}
    timeout: 5s
    max_attempts: 3
    first_retry: 1s
    allow_private: true
metrics: {enabled: true, local_only: false, max_series: 10}
traces: {url: "http://127.0.0.1:4318/v1/traces", service_name: gate, sample: 0.25, headers: {Authorization: x}}
log: {level: debug, form: json, calls: true}
)");
    EXPECT_EQ(events.audit.mode, gateway::AuditMode::kBeforeAnswer);
    EXPECT_EQ(events.audit.on_failure, gateway::OnAuditFailure::kRefuse);
    EXPECT_EQ(events.audit.arguments, gateway::ArgumentRecord::kSize);
    EXPECT_EQ(events.audit.results, gateway::ResultRecord::kValues);
    EXPECT_EQ(events.audit.retain, std::chrono::hours(7 * 24));
    EXPECT_EQ(events.audit.retain_entries, 1000u);
    EXPECT_EQ(events.audit.gather, milliseconds(20));
    EXPECT_EQ(events.audit.queue_bytes, 1u << 20);
    EXPECT_FALSE(events.feed.enabled);
    EXPECT_FALSE(events.feed.local_only);
    EXPECT_EQ(events.feed.max_subscribers, 3u);
    ASSERT_EQ(events.webhooks.size(), 1u);
    EXPECT_EQ(events.webhooks[0].name, "pager");
    EXPECT_EQ(events.webhooks[0].secret, "${PAGER_SECRET}");
    EXPECT_THAT(events.webhooks[0].events, ElementsAre("tool.failed", "source.*"));
    EXPECT_EQ(events.webhooks[0].names, gateway::EventNames::kMcp);
    EXPECT_EQ(events.webhooks[0].headers[0].second, "ops");
    EXPECT_EQ(events.webhooks[0].max_attempts, 3u);
    EXPECT_TRUE(events.webhooks[0].allow_private);
    EXPECT_FALSE(events.metrics.local_only);
    EXPECT_EQ(events.metrics.max_series, 10u);
    EXPECT_EQ(events.traces.service_name, "gate");
    EXPECT_EQ(events.traces.sample, 0.25);
    EXPECT_EQ(events.log.level, gateway::LogLevel::kDebug);
    EXPECT_EQ(events.log.form, gateway::LogForm::kJson);
    EXPECT_TRUE(events.log.calls);
}

TEST(EventsConfig, MistakesAreToldWithTheirPlace) {
    EXPECT_THAT(refused("audit: {mode: sometimes}"),
                HasSubstr("audit.mode: expected one of: off, async, before-answer"));
    EXPECT_THAT(refused("audit: {modes: async}"), HasSubstr("did you mean 'mode'?"));
    EXPECT_THAT(refused("webhooks: [{name: a, url: 'https://a.example/'}]"), HasSubstr("needs a secret"));
    EXPECT_THAT(refused("webhooks: [{url: 'https://a.example/', secret: s}]"), HasSubstr("needs a name"));
    EXPECT_THAT(refused("webhooks: [{name: a, url: 'https://a.example/', secret: s}, "
                        "{name: a, url: 'https://a.example/', secret: s}]"),
                HasSubstr("there is already a webhook"));
    EXPECT_THAT(refused("traces: {sample: 3}"), HasSubstr("from 0 to 1"));
}

}  // namespace
}  // namespace gantry::app
