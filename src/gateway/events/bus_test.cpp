#include "gateway/events/bus.hpp"

#include <gmock/gmock.h>

#include "base/redact/redactor.hpp"
#include "gateway/events/test_outcome.hpp"

namespace gantry::gateway::events {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string data_of(const Record& record) {
    std::string out;
    append_data(record, out);
    return out;
}

/// Stores records packed, as the writer does.
class Hearing final : public EventListener {
public:
    void heard(const Record& record) noexcept override {
        packed.emplace_back(packed_size(record), '\0');
        pack(record, packed.back().data());
    }
    bool reads_arguments() const noexcept override { return true; }
    Record at(std::size_t place) const { return unpack(packed[place]); }
    std::vector<std::string> packed;
};

TEST(Bus, EveryCallIsOneEventWithAllThatIsKnownOfIt) {
    Bus bus({.arguments = ArgumentRecord::kDigest, .digest_key = "k"});
    Hearing hearing;
    bus.add(hearing);
    Outcome outcome = good_call();
    outcome.trace.trace.fill(0xab);
    outcome.trace.span.fill(0x01);
    EXPECT_EQ(bus.record(outcome), 0u);
    ASSERT_EQ(hearing.packed.size(), 1u);
    const Record record = hearing.at(0);
    EXPECT_EQ(record.type(), "gantry.tool.called.v1");
    const Json data = *Json::parse(data_of(record));
    const std::map<std::string, Json> expected = {{"method", "tools/call"},
                                                  {"name", "files_read"},
                                                  {"own_name", "read"},
                                                  {"source", "mcp"},
                                                  {"server", "files"},
                                                  {"principal", "local"},
                                                  {"session_id", "s-1"},
                                                  {"client", "editor"},
                                                  {"call_id", "c-1"},
                                                  {"outcome", "ok"},
                                                  {"took_us", 250},
                                                  {"attempt", 1},
                                                  {"arguments_bytes", 28},
                                                  {"result_bytes", 77},
                                                  {"trace_id", "abababababababababababababababab"},
                                                  {"span_id", "0101010101010101"}};
    for (const auto& [key, value] : expected) {
        ASSERT_NE(data.find(key), nullptr) << key;
        EXPECT_EQ(*data.find(key), value) << key;
    }
    EXPECT_EQ(data.string_at("arguments_digest").size(), 32u);
}

TEST(Bus, ValuesOfArgumentsAreInNoRecordUnlessTheOperatorWantsThem) {
    for (const ArgumentRecord kind : {ArgumentRecord::kSize, ArgumentRecord::kDigest}) {
        Bus bus({.arguments = kind});
        Hearing hearing;
        bus.add(hearing);
        bus.record(good_call());
        EXPECT_THAT(hearing.packed[0], Not(HasSubstr("secret-place")));
    }
    Bus bus({.arguments = ArgumentRecord::kValues});
    Hearing hearing;
    bus.add(hearing);
    bus.record(good_call());
    const Json data = *Json::parse(data_of(hearing.at(0)));
    EXPECT_EQ(data.at_pointer("/params/path")->if_string()->substr(0, 5), "/etc/");
}

TEST(Bus, ResultsOfToolsAreInNoRecordUnlessTheOperatorWantsThem) {
    Redactor redactor;
    redactor.add("hunter2-hunter2");
    const auto recorded = [&redactor](ResultRecord kind, std::string_view result, Verb verb = Verb::kCallTool) {
        Bus bus({.results = kind, .redactor = &redactor});
        Hearing hearing;
        bus.add(hearing);
        Outcome outcome = good_call();
        outcome.verb = verb;
        outcome.result = result;
        bus.record(outcome);
        const Json data = *Json::parse(data_of(hearing.at(0)));
        return data.find("result") == nullptr ? "none" : data.find("result")->dump();
    };
    const std::string result = R"({"content":[{"type":"text","text":"hunter2-hunter2 é"}],"isError":false})";
    EXPECT_EQ(recorded(ResultRecord::kSize, result), "none");
    EXPECT_EQ(recorded(ResultRecord::kValues, result),
              R"({"content":[{"type":"text","text":"*** é"}],"isError":false})");
    EXPECT_EQ(recorded(ResultRecord::kValues, result, Verb::kReadResource), "none");
    const std::string large = R"({"content":[],"_meta":{"x":")" + std::string(16 << 10, 'x') + R"("}})";
    EXPECT_EQ(recorded(ResultRecord::kValues, large), "none") << "half of it would be no JSON";
}

TEST(Bus, TheSameArgumentsHaveTheSameDigestUnderOneKeyOnly) {
    const auto digest = [](std::string key, std::string_view arguments) {
        Bus bus({.arguments = ArgumentRecord::kDigest, .digest_key = std::move(key)});
        Hearing hearing;
        bus.add(hearing);
        Outcome outcome = good_call();
        outcome.arguments = arguments;
        bus.record(outcome);
        return hearing.at(0).digest;
    };
    EXPECT_EQ(digest("k", "{}"), digest("k", "{}"));
    EXPECT_NE(digest("k", "{}"), digest("k", R"({"a":1})"));
    EXPECT_NE(digest("k", "{}"), digest("other", "{}"));
}

TEST(Bus, FailuresOfEveryKindAreEventsToo) {
    struct Row {
        Error error;
        std::string word;
    };
    Bus bus({});
    Hearing hearing;
    bus.add(hearing);
    for (const ErrorCode code : {ErrorCode::kTimeout, ErrorCode::kSchema, ErrorCode::kNotFound, ErrorCode::kLimit,
                                 ErrorCode::kConnection, ErrorCode::kCancelled, ErrorCode::kDenied}) {
        Outcome outcome = good_call();
        const Error error(code, "why");
        outcome.error = &error;
        bus.record(outcome);
        const Record record = hearing.at(hearing.packed.size() - 1);
        EXPECT_EQ(record.type(), "gantry.tool.failed.v1");
        const Json data = *Json::parse(data_of(record));
        EXPECT_EQ(data.string_at("outcome"), "error");
        EXPECT_EQ(data.string_at("error"), error_word(code));
        EXPECT_EQ(data.string_at("message"), "why");
    }
    Outcome failed = good_call();
    failed.tool_failed = true;
    bus.record(failed);
    EXPECT_EQ(hearing.at(7).type(), "gantry.tool.failed.v1");
    EXPECT_THAT(data_of(hearing.at(7)), HasSubstr(R"("outcome":"tool_failed")"));
}

TEST(Bus, SecretsAreTakenOutOfMessagesValuesAndEvents) {
    Redactor redactor;
    redactor.add("hunter2-hunter2");
    Bus bus({.arguments = ArgumentRecord::kValues, .redactor = &redactor});
    Hearing hearing;
    bus.add(hearing);
    Outcome outcome = good_call();
    const Error error(ErrorCode::kConnection, "https://x/?key=hunter2-hunter2 is gone");
    outcome.error = &error;
    outcome.name = "hunter2-hunter2";
    outcome.arguments = R"({"password":"hunter2-hunter2"})";
    bus.record(outcome);
    bus.publish({.type = event_type::kSourceState, .data = {{"trouble", "hunter2-hunter2"}}});
    ASSERT_EQ(hearing.packed.size(), 2u);
    for (const std::string& packed : hearing.packed) EXPECT_THAT(packed, Not(HasSubstr("hunter2")));
    EXPECT_TRUE(Json::parse(data_of(hearing.at(0))).has_value());
}

TEST(Bus, WhatASourceSaysInItsRefusalIsNotRepeated) {
    Bus bus({});
    Hearing hearing;
    bus.add(hearing);
    Outcome outcome = good_call();
    const Error error = Error(ErrorCode::kRpc, "no such file: secret-place")
                            .rpc({.code = -32602, .message = "no such file: secret-place"});
    outcome.error = &error;
    bus.record(outcome);
    EXPECT_THAT(data_of(hearing.at(0)), HasSubstr(R"("rpc_code":-32602)"));
    EXPECT_THAT(hearing.packed[0], Not(HasSubstr("secret-place")));
}

TEST(Bus, ACallersCorrelationIdIsRecordedWhole) {
    Bus bus({});
    Hearing hearing;
    bus.add(hearing);
    const std::string id(128, 'i');
    bus.record(good_call(id));
    EXPECT_EQ(Json::parse(data_of(hearing.at(0)))->string_at("call_id"), id);
}

TEST(Bus, TextsAreCutBetweenCharactersAndTheRecordStaysSmall) {
    Bus bus({});
    Hearing hearing;
    bus.add(hearing);
    std::string name;
    for (int i = 0; i < 100'000; ++i) name += "ä";
    Outcome outcome = good_call();
    outcome.name = name;
    outcome.client = name;
    bus.record(outcome);
    EXPECT_LT(hearing.packed[0].size(), 4096u);
    EXPECT_TRUE(Json::parse(data_of(hearing.at(0))).has_value());
}

TEST(Bus, EventsThatAreNoCallsKeepTheirTypeSubjectAndData) {
    Bus bus({});
    EXPECT_FALSE(bus.listening());
    bus.publish({.type = event_type::kSourceState, .subject = "files"});
    Hearing hearing;
    bus.add(hearing);
    EXPECT_TRUE(bus.listening());
    bus.publish({.type = event_type::kSourceState, .subject = "files", .data = {{"state", "down"}}});
    const Record record = hearing.at(0);
    EXPECT_EQ(record.type(), "gantry.source.health_changed.v1");
    EXPECT_EQ(record.texts[Record::kName], "files");
    EXPECT_EQ(data_of(record), R"({"state":"down"})");
    bus.publish({.type = event_type::kCatalogChanged, .data = {{"much", std::string(100'000, 'x')}}});
    EXPECT_EQ(data_of(hearing.at(1)), R"({"too_large":true})");
    bus.remove(hearing);
    EXPECT_FALSE(bus.listening());
}

TEST(Bus, NumbersEverythingInOrder) {
    Bus bus({});
    Hearing hearing;
    bus.add(hearing);
    bus.record(good_call());
    bus.publish({.type = event_type::kStarted});
    bus.record(good_call());
    EXPECT_EQ(hearing.at(0).number, 1u);
    EXPECT_EQ(hearing.at(1).number, 2u);
    EXPECT_EQ(hearing.at(2).number, 3u);
}

}  // namespace
}  // namespace gantry::gateway::events
