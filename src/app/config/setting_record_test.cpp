#include "app/config/setting_record.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/config/config.hpp"

namespace gantry::app {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

SettingRecord record_of(const std::string& yaml) {
    auto config = parse_config(yaml, "test");
    EXPECT_TRUE(config) << config.error().message();
    return config ? config->settings : SettingRecord();
}
/// "key" for a change at once, "key (reconnects the server)" and so on.
std::vector<std::string> changes(const SettingRecord& from, const SettingRecord& to) {
    std::vector<std::string> texts;
    for (const auto& [key, reload] : SettingRecord::changes(from, to))
        texts.push_back(reload == Reload::kAtOnce ? key : key + " (" + std::string(to_string(reload)) + ")");
    return texts;
}
std::vector<std::string> changes(const std::string& from, const std::string& to) {
    return changes(record_of(from), record_of(to));
}

TEST(SettingRecord, ComparesWhatIsMeantAndNotHowItIsSpelt) {
    EXPECT_THAT(changes("", "stop_timeout: 5s\nlimits: {max_connections: 10000}\nlog: {level: info}\n"), IsEmpty())
        << "defaults";
    EXPECT_THAT(changes("stop_timeout: 90s\n", "stop_timeout: 1m30s\n"), IsEmpty());
    EXPECT_THAT(changes("allowed_hosts: a\n", "allowed_hosts: [a]\n"), IsEmpty());
    EXPECT_THAT(changes("limits: {principal_rate: 60/m}\n", "limits: {principal_rate: 3600/h}\n"),
                ElementsAre("limits.principal_rate"))
        << "the same rate, but another burst";
    EXPECT_THAT(changes("groups: {g: [a]}\nservers: {a: {command: x}}\n",
                        "groups: [{name: g, servers: [a]}]\nservers: {a: {command: x}}\n"),
                IsEmpty());
    EXPECT_THAT(changes("timeout: 5s\n", ""), ElementsAre("timeout (reconnects the server)"));
    EXPECT_THAT(changes("", "timeout: 5s\n"), ElementsAre("timeout (reconnects the server)"));
}

TEST(SettingRecord, AnEntryGoesByItsNameAndIsReportedOnce) {
    const std::string pager = "{name: pager, url: 'http://a/', secret: 0123456789abcdef}";
    const std::string mail = "{name: mail, url: 'http://b/', secret: 0123456789abcdef, timeout: 3s}";
    const std::string slower = "{name: mail, url: 'http://c/', secret: 0123456789abcdef, timeout: 4s}";
    EXPECT_THAT(changes("webhooks: [" + pager + ", " + mail + "]\n", "webhooks: [" + mail + ", " + pager + "]\n"),
                IsEmpty());
    EXPECT_THAT(changes("webhooks: [" + pager + ", " + mail + "]\n", "webhooks: [" + slower + "]\n"),
                ElementsAre("webhooks.mail", "webhooks.pager"));
    EXPECT_THAT(changes("approvals: {rules: [{tools: [a]}]}\n", "approvals: {rules: [{tools: [a]}, {servers: [s]}]}\n"),
                ElementsAre("approvals.rules"));
}

TEST(SettingRecord, AValueMayChangeWhatAChangeDoes) {
    EXPECT_THAT(changes("", "audit: {mode: before-answer}\n"), ElementsAre("audit.mode"));
    for (const char* mode : {"", "audit: {mode: before-answer}\n"}) {
        EXPECT_THAT(changes(mode, "audit: {mode: off}\n"), ElementsAre("audit.mode (at the next start)"));
        EXPECT_THAT(changes("audit: {mode: off}\n", mode), ElementsAre("audit.mode (at the next start)"));
    }
    EXPECT_THAT(changes("", "allow_unauthenticated: true\n"), ElementsAre("allow_unauthenticated (at the next start)"));
    EXPECT_THAT(changes("", "allow_unauthenticated: true\nlisten: 0.0.0.0:1\n"),
                ElementsAre("allow_unauthenticated", "listen"));
}

TEST(SettingRecord, WhatTheCommandLineDecidesDoesNotChange) {
    SettingRecord from = record_of("listen: 127.0.0.1:1\nlog: {calls: true, level: debug}\nlimits: {max_streams: 5}\n");
    SettingRecord to = record_of("listen: 127.0.0.1:2\n");
    for (SettingRecord* record : {&from, &to}) {
        record->forget("listen");
        record->forget("log.calls");
        record->forget("limit");  // no such key: nothing below it either
    }
    EXPECT_THAT(changes(from, to), ElementsAre("limits.max_streams (at the next start)", "log.level"));
}

TEST(SettingRecord, ChangedSecretsAreNoticed) {
    const auto with = [](const std::string& secret) {
        return "webhooks: [{name: w, url: 'http://a/', secret: " + secret + "}]\n";
    };
    EXPECT_THAT(changes(with("0123456789abcdef"), with("0123456789abcdeg")), ElementsAre("webhooks.w"));
    EXPECT_THAT(
        changes("traces: {url: 'http://a/', headers: {A: one}}\n", "traces: {url: 'http://a/', headers: {A: two}}\n"),
        ElementsAre("traces.headers"));
}

}  // namespace
}  // namespace gantry::app
