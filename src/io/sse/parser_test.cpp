#include "io/sse/parser.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gantry::sse {
namespace {

using std::chrono::milliseconds;

std::vector<Event> taken(Parser& parser) {
    std::vector<Event> events;
    while (auto event = parser.next()) events.push_back(*std::move(event));
    return events;
}

std::vector<Event> parsed(std::string_view bytes) {
    Parser parser;
    EXPECT_TRUE(parser.feed(bytes));
    return taken(parser);
}

Event message(std::string data) {
    return {.type = "", .data = std::move(data), .id = {}, .retry = {}, .has_data = true};
}

TEST(SseParser, ReadsAllFields) {
    const auto events = parsed("event: update\nid: 7\nretry: 1500\ndata: {\"a\":1}\n\n");
    ASSERT_EQ(events.size(), 1u);
    EXPECT_EQ(events[0], (Event{"update", "{\"a\":1}", "7", milliseconds(1500), true}));
}

TEST(SseParser, JoinsDataLines) {
    EXPECT_EQ(parsed("data: a\ndata:b\ndata:\ndata\ndata:  c\n\n"), std::vector{message("a\nb\n\n\n c")});
}

TEST(SseParser, EmptyDataIsAnEvent) {
    EXPECT_EQ(parsed("data\n\n"), std::vector{message("")});
    EXPECT_EQ(parsed("data:\n\n"), std::vector{message("")});
    EXPECT_EQ(parsed("data: \n\n"), std::vector{message("")});
}

TEST(SseParser, ReturnsBlocksThatOnlyCarryResumptionState) {
    const auto events = parsed("id: 1\n\nretry: 10\n\nid: 2\ndata:\n\n");
    ASSERT_EQ(events.size(), 3u);
    EXPECT_EQ(events[0], (Event{"", "", "1", {}, false}));
    EXPECT_EQ(events[1], (Event{"", "", {}, milliseconds(10), false}));
    EXPECT_EQ(events[2], (Event{"", "", "2", {}, true}));
}

TEST(SseParser, SkipsCommentsEmptyBlocksAndUnknownFields) {
    EXPECT_EQ(parsed(": hello\n\n:\n\n\n\nevent: only\n\nfoo: bar\n\ndatabase: x\n\nDATA: x\n\n data: x\n\n"),
              std::vector<Event>());
    EXPECT_EQ(parsed("data: a\n: in between\nfoo\ndata: b\n\n"), std::vector{message("a\nb")});
}

TEST(SseParser, TypeDoesNotOutliveItsBlock) {
    const auto events = parsed("event: x\n\ndata: a\n\n");
    ASSERT_EQ(events.size(), 1u);
    EXPECT_EQ(events[0].type, "");
}

TEST(SseParser, DropsOneBomAtTheStartOnly) {
    EXPECT_EQ(parsed("\xEF\xBB\xBF"
                     "data: a\n\n"),
              std::vector{message("a")});
    EXPECT_EQ(parsed("\xEF\xBB\xBF:c\ndata: a\n\n"), std::vector{message("a")});
    EXPECT_EQ(parsed("\xEF\xBB\xBF\n\ndata: a\n\n"), std::vector{message("a")});
    EXPECT_TRUE(parsed("\xEF\xBB\xBF\xEF\xBB\xBF"
                       "data: a\n\n")
                    .empty());
    EXPECT_TRUE(parsed("\n\xEF\xBB\xBF"
                       "data: a\n\n")
                    .empty());
    EXPECT_EQ(parsed("\xEF\xBB\ndata: a\n\n"), std::vector{message("a")});
}

TEST(SseParser, IgnoresAnIdWithNul) {
    const auto events = parsed(std::string_view("id: a\0b\ndata: x\n\n", 17));
    ASSERT_EQ(events.size(), 1u);
    EXPECT_FALSE(events[0].id);
}

TEST(SseParser, RetryTakesDigitsOnlyAndAtMostADay) {
    for (const auto* bad :
         {"retry:\n\n", "retry: -1\n\n", "retry: 1.5\n\n", "retry: 10 \n\n", "retry:  1\n\n", "retry: x\n\n"})
        EXPECT_TRUE(parsed(bad).empty()) << bad;
    EXPECT_EQ(parsed("retry: 0\n\n")[0].retry, milliseconds(0));
    EXPECT_EQ(parsed("retry: 99999999999999999999999999\n\n")[0].retry, milliseconds(86'400'000));
    EXPECT_EQ(parsed("retry: 5\nretry: x\n\n")[0].retry, milliseconds(5));
}

TEST(SseParser, AnUnfinishedBlockIsNotAnEvent) {
    EXPECT_TRUE(parsed("data: a\n").empty());
    EXPECT_TRUE(parsed("data: a").empty());
}

TEST(SseParser, LastEventIdFollowsTheEventsTaken) {
    Parser parser;
    ASSERT_TRUE(parser.feed("id: 1\ndata: a\n\nid: 2\ndata: b\n\ndata: c\n\nid\ndata: d\n\nid: 9\n"));
    EXPECT_EQ(parser.last_event_id(), "");
    const std::string_view expected[] = {"1", "2", "2", ""};
    for (const auto id : expected) {
        ASSERT_TRUE(parser.next());
        EXPECT_EQ(parser.last_event_id(), id);
    }
    EXPECT_FALSE(parser.next());
    EXPECT_EQ(parser.last_event_id(), "");  // the block with 9 is not complete
}

TEST(SseParser, EverySplitGivesTheSameEvents) {
    const std::string_view streams[] = {
        "\xEF\xBB\xBF: c\r\nevent: e\r\ndata: one\r\ndata: two\r\n\r\nid: 1\rretry: 20\rdata:x\r\rdata\n\n:z\n\ndata: "
        "y\n\r\n",
        "\r\r\n\n\rdata: a\r\n\ndata: b\n\r\r\ndata:c\r\r\n\r",
        "\xEF\xBB\xBF\xEF\xBB\xBF"
        "data: a\n\ndata: b\n\n",
        "data: 0123456789\r\nunknown-field-name: value\r\nd: x\r\nda\r\ndat: q\r\nevent:t\r\n\r\nid:\r\ndata:\r\n\r\n",
    };
    for (const auto stream : streams) {
        const auto whole = parsed(stream);
        for (std::size_t i = 0; i <= stream.size(); ++i)
            for (std::size_t j = i; j <= stream.size(); ++j) {
                Parser parser;
                ASSERT_TRUE(parser.feed(stream.substr(0, i)));
                ASSERT_TRUE(parser.feed(stream.substr(i, j - i)));
                ASSERT_TRUE(parser.feed(stream.substr(j)));
                ASSERT_EQ(taken(parser), whole) << i << ' ' << j;
            }
        Parser bytewise;
        for (const char c : stream) ASSERT_TRUE(bytewise.feed(std::string_view(&c, 1)));
        EXPECT_EQ(taken(bytewise), whole);
    }
}

TEST(SseParser, LineEndsDoNotMatter) {
    const std::string_view text = "event: e\ndata: a\ndata: b\n\n: c\nid: 4\ndata: d\n\n";
    const auto expected = parsed(text);
    ASSERT_EQ(expected.size(), 2u);
    for (const std::string_view end : {"\r", "\r\n"}) {
        std::string other;
        for (const char c : text) c == '\n' ? other += end : other += c;
        EXPECT_EQ(parsed(other), expected);
    }
}

TEST(SseParser, OversizedEventEndsTheParserAtEverySplit) {
    const std::string stream = "data: ok\n\ndata: 01234567890123456\n\ndata: never\n\n";
    for (std::size_t i = 0; i <= stream.size(); ++i) {
        Parser parser(16);
        auto first = parser.feed(std::string_view(stream).substr(0, i));
        auto second = parser.feed(std::string_view(stream).substr(i));
        ASSERT_FALSE(second) << i;
        EXPECT_EQ(second.error().code(), ErrorCode::kLimit);
        EXPECT_EQ(taken(parser), std::vector{message("ok")}) << i;
        EXPECT_FALSE(parser.feed("data: x\n\n"));
        EXPECT_FALSE(parser.next());
    }
}

TEST(SseParser, TheLimitHoldsForEveryKindOfGrowth) {
    const auto refused = [](std::string_view piece) {
        Parser parser(1000);
        for (int i = 0; i < 2000; ++i)
            if (auto fed = parser.feed(piece); !fed) return fed.error().code() == ErrorCode::kLimit;
        return false;
    };
    EXPECT_TRUE(refused("data\n"));
    EXPECT_TRUE(refused("data:x\n"));
    EXPECT_TRUE(refused("longline"));
    EXPECT_TRUE(refused("data: longline"));
    EXPECT_FALSE(refused(": comment of any length"));
    EXPECT_FALSE(refused("data: small\n\n"));
    Parser exact(10);
    EXPECT_TRUE(exact.feed("data: 0123456789\n\n"));
    EXPECT_EQ(taken(exact), std::vector{message("0123456789")});
}

/// The events of a parser that returns large data in parts, joined; and the number of parts.
std::vector<Event> joined(Parser& parser, std::string_view stream, std::size_t step, std::size_t& parts) {
    std::vector<Event> events;
    std::string data;
    for (std::size_t at = 0; at < stream.size(); at += step) {
        EXPECT_TRUE(parser.feed(stream.substr(at, step)));
        while (auto event = parser.next()) {
            EXPECT_LE(event->data.size(), 8 + step);
            data += event->data;
            if (event->partial) {
                ++parts;
                continue;
            }
            event->data = std::exchange(data, {});
            events.push_back(*std::move(event));
        }
    }
    return events;
}

TEST(SseParser, LargeDataIsHandedOutAsItComesAndSmallEventsStayWhole) {
    const std::string_view stream =
        "data: small\n\nevent: e\nid: 1\ndata: 0123456789abcdef\n: c\ndata:\ndata: ghijklm\nretry: 7\n\n"
        "id: 2\ndata: next\n\ndata: 0123456789abcdefghij\r\n\r\ndata: 0123456789\nid: 3\nevent: late\n\n";
    const auto whole = parsed(stream);
    for (std::size_t step = 1; step <= stream.size(); ++step) {
        Parser parser(1000);
        parser.hand_out_beyond(8);
        std::size_t parts = 0;
        EXPECT_EQ(joined(parser, stream, step, parts), whole) << step;
        if (step < 8) EXPECT_GT(parts, 6u) << step;
        EXPECT_EQ(parser.last_event_id(), "3");
    }
}

TEST(SseParser, AnUnfinishedLargeEventNamesNoIdAndCountsNotForTheLimit) {
    Parser parser(64);
    parser.hand_out_beyond(8);
    ASSERT_TRUE(parser.feed("id: 1\ndata: a\n\nid: 2\ndata: "));
    ASSERT_TRUE(parser.next());
    for (int i = 0; i < 100; ++i) {
        ASSERT_TRUE(parser.feed("0123456789"));
        const auto part = parser.next();
        ASSERT_TRUE(part && part->partial && part->has_data);
        EXPECT_EQ(part->data, "0123456789");
        EXPECT_FALSE(parser.next());
    }
    EXPECT_EQ(parser.last_event_id(), "1");
    EXPECT_FALSE(parser.feed("\nid: " + std::string(64, 'i'))) << "only data may be large";
}

TEST(SseWriter, WhatIsWrittenIsRead) {
    std::string wire;
    append_event(wire, "", "plain");
    append_comment(wire, "ping\npong");
    append_event(wire, "endpoint", "/messages?id=1", "5", milliseconds(250));
    append_event(wire, "", "a\nb\r\nc\rd\n", "");
    append_event(wire, "", "", "prime");
    append_event(wire, "", " leading");
    const auto events = parsed(wire);
    ASSERT_EQ(events.size(), 5u);
    EXPECT_EQ(events[0], message("plain"));
    EXPECT_EQ(events[1], (Event{"endpoint", "/messages?id=1", "5", milliseconds(250), true}));
    EXPECT_EQ(events[2], (Event{"", "a\nb\nc\nd\n", "", {}, true}));
    EXPECT_EQ(events[3], (Event{"", "", "prime", {}, true}));
    EXPECT_EQ(events[4], message(" leading"));
}

TEST(SseWriter, NoValueCanBeginALineOfItsOwn) {
    std::string wire;
    append_event(wire, "a\ndata: forged", "real", "1\r\n\r\ndata: forged");
    const auto events = parsed(wire);
    ASSERT_EQ(events.size(), 1u);
    EXPECT_EQ(events[0].data, "real");
}

}  // namespace
}  // namespace gantry::sse
