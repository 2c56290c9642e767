#include "app/config/resilience.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/config/config.hpp"

namespace gantry::app {
namespace {

using gateway::connect_limit;
using testing::HasSubstr;

Result<Config> server_with(const std::string& more) {
    return parse_config("servers:\n  - name: s\n    command: x\n" + more, "f.yaml");
}

TEST(Rates, AreReadAsTheyAreWritten) {
    const struct {
        Json written;
        double per_second, burst;
    } rows[] = {{"10/s", 10, 10}, {"60/m", 1, 60}, {"3600/h", 1, 3600}, {5, 5, 5}, {"0.5/s", 0.5, 1}};
    for (const auto& row : rows) {
        const auto rate = read_rate(row.written);
        ASSERT_TRUE(rate.has_value()) << row.written.dump();
        EXPECT_DOUBLE_EQ(rate->per_second, row.per_second);
        EXPECT_DOUBLE_EQ(rate->burst, row.burst);
    }
    for (const char* wrong : {"", "fast", "10/d", "-1/s", "0", "10 /s", "1e99/s"})
        EXPECT_FALSE(read_rate(Json(wrong)).has_value()) << wrong;
}

TEST(ResilienceConfig, EveryKeyReachesItsSetting) {
    const auto config = server_with(
        "    breaker: {threshold: 7, recovery: 1m, test_calls: 2, successes: 3}\n"
        "    max_concurrent: 5\n    max_queue: 6\n    queue_timeout: 7s\n    rate: 8/s\n"
        "    tool_rates: {a_*: 9/s, b: 10/s}\n    trust_hints: false\n"
        "    retries: {attempts: 1, first: 1s, longest: 2s, after_timeout: true}\n"
        "    connect: lazy\n    on_connect_error: fail\n    connect_timeout: 3s\n");
    ASSERT_TRUE(config.has_value()) << config.error().to_string();
    const auto& server = config->servers.at(0);
    EXPECT_EQ(server.limits.breaker.threshold, 7u);
    EXPECT_EQ(server.limits.breaker.recovery, seconds(60));
    EXPECT_EQ(server.limits.breaker.test_calls, 2u);
    EXPECT_EQ(server.limits.breaker.successes, 3u);
    EXPECT_EQ(server.limits.concurrency.running, 5u);
    EXPECT_EQ(server.limits.concurrency.waiting, 6u);
    EXPECT_EQ(server.limits.concurrency.queue_timeout, seconds(7));
    EXPECT_DOUBLE_EQ(server.limits.rate.per_second, 8);
    ASSERT_EQ(server.limits.tool_rates.size(), 2u);
    EXPECT_EQ(server.limits.tool_rates[0].first, "a_*") << "in the order of the file";
    EXPECT_FALSE(server.limits.retry.trust_hints);
    EXPECT_EQ(server.limits.retry.attempts, 1u);
    EXPECT_TRUE(server.limits.retry.after_timeout);
    EXPECT_EQ(server.connect, gateway::Connect::kLazy);
    EXPECT_EQ(server.on_connect_error, gateway::OnConnectError::kFail);
    EXPECT_EQ(connect_limit(server), seconds(3));
}

TEST(ResilienceConfig, BreakersHavePresets) {
    EXPECT_EQ(server_with("    breaker: patient\n")->servers[0].limits.breaker.recovery, seconds(60));
    EXPECT_FALSE(server_with("    breaker: off\n")->servers[0].limits.breaker.enabled);
    EXPECT_TRUE(server_with("    breaker: standard\n")->servers[0].limits.breaker.enabled);
}

TEST(ResilienceConfig, MistakesNameTheirPlace) {
    const struct {
        const char *text, *said;
    } rows[] = {
        {"    breaker: {threshold: 0}\n", "servers[0].breaker.threshold: expected a whole number, at least 1"},
        {"    breaker: fast\n", "expected one of: standard, patient, off"},
        {"    breaker: {treshold: 5}\n", "did you mean 'threshold'"},
        {"    rate: often\n", "servers[0].rate: expected a rate"},
        {"    tool_rates: {a: x}\n", "servers[0].tool_rates.a: expected a rate"},
        {"    connect: later\n", "expected one of: eager, lazy"},
    };
    for (const auto& row : rows) {
        const auto config = server_with(row.text);
        ASSERT_FALSE(config.has_value()) << row.text;
        EXPECT_THAT(config.error().message(), HasSubstr(row.said));
    }
}

TEST(ConnectLimit, IsTenSecondsAndLongerForWhatFetchesTheServerFirst) {
    EXPECT_EQ(connect_limit({.name = "s", .command = "/usr/bin/server"}), seconds(10));
    EXPECT_EQ(connect_limit({.name = "s", .url = "https://example.com"}), seconds(10));
    EXPECT_EQ(connect_limit({.name = "s", .command = "/usr/bin/npx"}), seconds(60));
    EXPECT_EQ(connect_limit({.name = "s", .command = "uvx"}), seconds(60));
}

}  // namespace
}  // namespace gantry::app
