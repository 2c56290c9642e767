#include "gateway/events/event_names.hpp"

#include <gtest/gtest.h>

#include "gateway/events/test_outcome.hpp"
#include "gateway/ports/event_sink.hpp"

namespace gantry::gateway::events {
namespace {

/// A call's entry under the names of agent runtimes.
struct Told {
    explicit Told(const Outcome& outcome, std::string_view result = {}) {
        Record record = record_of(outcome);
        record.texts[Record::kData] = outcome.arguments;
        record.texts[Record::kResult] = result;
        std::string data, room;
        append_data(record, data);
        const JournalEntry entry =
            entry_under(EventNames::kMcp, {.id = "i", .type = record.type(), .subject = "s", .data = data}, room);
        type = entry.type;
        fields = *Json::parse(entry.data);
    }
    std::string type;
    Json fields;
};

TEST(EventNames, AnInvokedToolIsToldInTheTermsOfAgentRuntimes) {
    const Told told(good_call(), R"({"content":[],"isError":false})");
    EXPECT_EQ(told.type, "mcp.tool_called");
    EXPECT_EQ(told.fields.string_at("tool_name"), "files_read");
    EXPECT_EQ(told.fields.find("params")->dump(), R"({"path":"/etc/secret-place"})");
    EXPECT_EQ(told.fields.find("result")->dump(), R"({"content":[],"isError":false})");
    EXPECT_EQ(told.fields.string_at("source"), "mcp");
    EXPECT_EQ(told.fields.string_at("mcp_server"), "files");
    EXPECT_EQ(told.fields.string_at("call_id"), "c-1") << "the rest is as usual";
    EXPECT_EQ(told.fields.string_at("own_name"), "read");
    EXPECT_EQ(told.fields.find("name"), nullptr);
    EXPECT_EQ(told.fields.find("server"), nullptr);
}

TEST(EventNames, WhatIsNotRecordedIsNull) {
    Outcome outcome = good_call();
    outcome.arguments = {};
    const Told told(outcome);
    ASSERT_NE(told.fields.find("params"), nullptr);
    EXPECT_TRUE(told.fields.find("params")->is_null());
    ASSERT_NE(told.fields.find("result"), nullptr);
    EXPECT_TRUE(told.fields.find("result")->is_null());
}

TEST(EventNames, ANativeToolHasNoServer) {
    Outcome outcome = good_call();
    outcome.source = "demo";
    outcome.source_kind = "native";
    const Told told(outcome);
    EXPECT_EQ(told.fields.string_at("source"), "native");
    EXPECT_TRUE(told.fields.find("mcp_server")->is_null());
}

TEST(EventNames, FailuresOfEveryKindHaveTheirName) {
    Outcome refused = good_call();
    const Error error(ErrorCode::kNotFound, "no such tool");
    refused.error = &error;
    refused.source = refused.source_kind = {};
    const Told unknown(refused);
    EXPECT_EQ(unknown.type, "mcp.tool_failed");
    EXPECT_TRUE(unknown.fields.find("source")->is_null());
    EXPECT_TRUE(unknown.fields.find("mcp_server")->is_null());
    EXPECT_EQ(unknown.fields.string_at("message"), "no such tool");
    Outcome failed = good_call();
    failed.tool_failed = true;
    EXPECT_EQ(Told(failed).type, "mcp.tool_failed");
}

TEST(EventNames, EverythingElseAndEveryOtherReaderKeepsTheUsualNames) {
    std::string room;
    const JournalEntry state{.type = event_type::kSourceState, .data = R"({"name":"x"})"};
    EXPECT_EQ(entry_under(EventNames::kMcp, state, room).type, event_type::kSourceState);
    EXPECT_EQ(entry_under(EventNames::kMcp, state, room).data, state.data);
    const JournalEntry call{.type = event_type::kToolCalled, .data = R"({"name":"x"})"};
    EXPECT_EQ(entry_under(EventNames::kGantry, call, room).type, event_type::kToolCalled);
    EXPECT_EQ(entry_under(EventNames::kGantry, call, room).data, call.data);
    EXPECT_EQ(entry_under(EventNames::kMcp, {.type = event_type::kToolCalled, .data = "damaged"}, room).data,
              "damaged");
}

}  // namespace
}  // namespace gantry::gateway::events
