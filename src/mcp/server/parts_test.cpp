// Small pure parts: hosts, media types, session ids, event ids and logs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "auth/seal/sealer.hpp"
#include "mcp/server/event_log.hpp"
#include "mcp/server/hosts.hpp"
#include "mcp/server/media_type.hpp"
#include "mcp/server/peers.hpp"
#include "mcp/server/session.hpp"
#include "mcp/server/session_id.hpp"
#include "mcp/server/wire.hpp"

namespace gantry::mcp {
namespace {

TEST(Peers, WhatALegacyClientDeclaresCountsEvenIfItCameAfterItsRevision) {
    const auto peer = read_peer(Revision::k2024_11_05, R"({"elicitation":{},"sampling":{"tools":{}}})", "");
    ASSERT_TRUE(peer.has_value());
    EXPECT_EQ(peer->revision, Revision::k2024_11_05);
    EXPECT_TRUE(peer->capabilities.elicitation.has_value());
    EXPECT_TRUE(peer->capabilities.sampling.has_value());
}

TEST(Hosts, OnlyLoopbackAndListedNamesAreServed) {
    const HostRules rules({"gw.example.com"}, {});
    for (const char* good : {"localhost", "LOCALHOST:80", "127.0.0.1:3000", "[::1]:1", "[::1]", "gw.example.com:443"}) {
        EXPECT_TRUE(rules.admits_host(good)) << good;
    }
    for (const char* bad :
         {"", "evil.example.com", "localhost.evil.com", "127.0.0.1.evil.com", "gw.example.com.evil.com",
          "localhost:80@evil.com", "localhost:x", "[::1", "[::1]x", "evil.com#localhost", ":80"}) {
        EXPECT_FALSE(rules.admits_host(bad)) << bad;
    }
    EXPECT_TRUE(HostRules({"*"}, {}).admits_host("anything.example"));
}

TEST(Hosts, OnlyPagesOfLoopbackListedOriginsAndOurOwnMayCall) {
    const HostRules rules({"gw.example.com"}, {"https://app.example.com"});
    for (const char* good :
         {"http://localhost:6274", "https://127.0.0.1", "http://[::1]:5", "https://app.example.com"}) {
        EXPECT_TRUE(rules.admits_origin(good, "localhost")) << good;
    }
    for (const char* bad :
         {"null", "", "http://evil.example.com", "https://app.example.com.evil.com", "http://app.example.com",
          "http://localhost.evil.com", "file://localhost", "http://localhost/x", "http://u@localhost"}) {
        EXPECT_FALSE(rules.admits_origin(bad, "localhost")) << bad;
    }
    EXPECT_TRUE(rules.admits_origin("https://gw.example.com", "gw.example.com"));
    EXPECT_FALSE(rules.admits_origin("https://gw.example.com:8443", "gw.example.com"));
    EXPECT_FALSE(HostRules({"*"}, {}).admits_origin("http://evil.com", "evil.com")) << "rebinding makes these equal";
    EXPECT_TRUE(HostRules({}, {"*"}).admits_origin("null", "localhost"));
}

TEST(MediaTypes, AreReadNotSearched) {
    EXPECT_TRUE(is_json_type("application/json"));
    EXPECT_TRUE(is_json_type(" Application/JSON ; charset=utf-8"));
    for (const char* bad :
         {"", "text/plain", "application/jsonp", "text/plain; x=application/json", "application/json-patch+json"})
        EXPECT_FALSE(is_json_type(bad)) << bad;
    EXPECT_TRUE(accepts("application/json, text/event-stream", "text/event-stream"));
    EXPECT_TRUE(accepts("text/*", "text/event-stream"));
    EXPECT_TRUE(accepts("*/*;q=0.1", "text/event-stream"));
    EXPECT_TRUE(accepts("", "text/event-stream"));
    EXPECT_TRUE(accepts("TEXT/Event-Stream;level=1", "text/event-stream"));
    for (const char* bad : {"application/json", "text/event-streams", "text/event-stream;q=0",
                            "text/event-stream; q=0.000", "application/*", "x/y;z=text/event-stream"})
        EXPECT_FALSE(accepts(bad, "text/event-stream")) << bad;
}

SessionFacts facts() {
    return {.id = "abc",
            .path = "/mcp",
            .identity = std::string("who\0ever", 8),
            .revision = Revision::k2025_03_26,
            .capabilities = R"({"roots":{}})",
            .info = R"({"name":"x"})",
            .expires = unix_now() + 60};
}

TEST(SessionIds, CarryTheirFactsSealed) {
    auto sealer = *auth::Sealer::ephemeral();
    const std::string token = seal_session(sealer, "session", facts());
    EXPECT_EQ(open_session(sealer, "session", token).value(), facts());
    EXPECT_FALSE(open_session(sealer, "sse", token)) << "made for another purpose";
    EXPECT_FALSE(open_session(sealer, "session", token + "A"));
    EXPECT_FALSE(open_session(sealer, "session", ""));
    auto stranger = *auth::Sealer::ephemeral();
    EXPECT_FALSE(open_session(stranger, "session", token));
    SessionFacts old = facts();
    old.expires = unix_now() - 1;
    EXPECT_EQ(open_session(sealer, "session", seal_session(sealer, "session", old)).error().code(),
              ErrorCode::kNotFound);
}

TEST(SessionIds, NothingButAWholeEncodingDecodes) {
    const std::string bytes = encode_facts(facts());
    EXPECT_EQ(decode_facts(bytes).value(), facts());
    for (std::size_t i = 0; i < bytes.size(); ++i) EXPECT_FALSE(decode_facts(bytes.substr(0, i))) << i;
    EXPECT_FALSE(decode_facts(bytes + "x"));
    std::string modern = bytes;
    modern[1] = 4;
    EXPECT_FALSE(decode_facts(modern)) << "no session has a modern revision";
}

TEST(SessionIds, NamesDiffer) {
    EXPECT_EQ(new_session_name().size(), 32u);
    EXPECT_NE(new_session_name(), new_session_name());
}

TEST(EventIds, ReadBackAsWritten) {
    const EventId id{.epoch = 0xdeadbeef, .stream = 7, .place = 12345678901234};
    EXPECT_EQ(EventId::parse(id.to_string()), id);
    for (const char* bad : {"", "1", "1-2", "1-2-", "1-2-3-4", "x-1-1", "1--1-1", "1-2-3 ", "100000000-1-1"})
        EXPECT_FALSE(EventId::parse(bad)) << bad;
}

TEST(EventLogs, KeepTheLatestWithinTheirBounds) {
    EventLog log;
    const EventLog::Limits limits{.events = 3, .bytes = 10};
    const auto replay = [&](std::uint64_t stream, std::uint64_t place) {
        std::string all;
        log.replay(stream, place, [&](const EventLog::Entry& entry) { all += entry.message; });
        return all;
    };
    log.add(limits, 1, 1, "a");
    log.add(limits, 2, 2, "b");
    log.add(limits, 1, 3, "c");
    EXPECT_EQ(replay(1, 0), "ac");
    EXPECT_EQ(replay(1, 1), "c");
    EXPECT_TRUE(log.says(2, 1, "b"));
    EXPECT_FALSE(log.says(2, 2, "b"));
    log.add(limits, 1, 4, "d");
    EXPECT_EQ(replay(1, 0), "cd") << "the oldest gave way";
    log.add(limits, 1, 5, "0123456789");
    EXPECT_EQ(replay(1, 0), "0123456789") << "bytes count too";
    log.add(limits, 1, 6, "0123456789A");
    EXPECT_EQ(replay(1, 0), "0123456789") << "what would not fit alone is not kept";
    log.forget_before(SteadyClock::now() + seconds(1));
    EXPECT_TRUE(log.empty());
    EXPECT_EQ(log.bytes(), 0u);
}

TEST(Interests, CoverWhatLiesBelow) {
    const std::set<std::string> uris{"a://x", "b://y/"};
    EXPECT_TRUE(covers(uris, "a://x"));
    EXPECT_TRUE(covers(uris, "a://x/1"));
    EXPECT_TRUE(covers(uris, "b://y/1"));
    EXPECT_FALSE(covers(uris, "a://xy"));
    EXPECT_FALSE(covers(uris, "a://"));
}

TEST(Wire, ErrorsKeepIdsAndData) {
    EXPECT_EQ(wire::error_message("\"x\"", {.code = 1, .message = "a\"b", .data = R"({"u":1})"}),
              R"({"jsonrpc":"2.0","id":"x","error":{"code":1,"message":"a\"b","data":{"u":1}}})");
    EXPECT_EQ(wire::error_message("", {.code = 1, .message = "m", .data = "no json"}),
              R"({"jsonrpc":"2.0","error":{"code":1,"message":"m","data":"no json"}})");
    EXPECT_EQ(wire::to_rpc_error(Error(ErrorCode::kNotFound, "x")).code, -32602);
    EXPECT_EQ(wire::to_rpc_error(Error(ErrorCode::kTimeout, "x")).code, -32603);
}

TEST(Wire, ChangesSpeakBothEras) {
    EXPECT_EQ(wire::change({.kind = Change::Kind::kTools}, {}),
              R"({"jsonrpc":"2.0","method":"notifications/tools/list_changed"})");
    EXPECT_EQ(
        wire::change({.kind = Change::Kind::kUpdated, .uri = "a://b"}, "7"),
        R"({"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"a://b","_meta":{"io.modelcontextprotocol/subscriptionId":7}}})");
    EXPECT_EQ(wire::change({.kind = Change::Kind::kTask, .task = JsonObject{{"taskId", "t"}}}, {}), "");
    EXPECT_EQ(
        wire::change({.kind = Change::Kind::kTask, .task = JsonObject{{"taskId", "t"}}}, "1"),
        R"({"jsonrpc":"2.0","method":"notifications/tasks","params":{"taskId":"t","_meta":{"io.modelcontextprotocol/subscriptionId":1}}})");
}

}  // namespace
}  // namespace gantry::mcp
