#include "gateway/events/log_tail.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include "base/redact/redactor.hpp"
#include "gateway/events/log.hpp"
#include "gateway/events/test_receiver.hpp"
#include "io/fd.hpp"
#include "io/http/client.hpp"
#include "io/net/egress.hpp"
#include "io/scope.hpp"
#include "io/sse/parser.hpp"

namespace gantry::gateway::events {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

std::vector<std::string> texts(LogTail& tail, const LogTail::Wanted& wanted = {}) {
    std::vector<std::string> found;
    for (const auto& line : tail.last(wanted)) found.push_back(*line);
    return found;
}

TEST(LogTail, GivesTheLastLinesInTheOrderTheyCame) {
    LogTail tail;
    const TimePoint now = SteadyClock::now();
    tail.add(LogLevel::kInfo, "", "1");
    ASSERT_TRUE(tail.admits("files", now));
    tail.add_from("files", "2");
    tail.add(LogLevel::kWarning, "files", "3");
    tail.add(LogLevel::kError, "web", "4");
    EXPECT_THAT(texts(tail), ElementsAre("1", "2", "3", "4"));
    EXPECT_THAT(texts(tail, {.last = 2}), ElementsAre("3", "4"));
    EXPECT_THAT(texts(tail, {.last = 0}), ElementsAre());
    EXPECT_THAT(texts(tail, {.level = LogLevel::kWarning}), ElementsAre("3", "4"));
    EXPECT_THAT(texts(tail, {.server = "files"}), ElementsAre("2", "3"));
    EXPECT_THAT(texts(tail, {.last = 1, .server = "files"}), ElementsAre("3"));
}

TEST(LogTail, IsBoundedInBytesHoweverLongItsLinesAre) {
    LogTail tail({.own_bytes = 10'000, .server_bytes = 10'000, .servers_bytes = 25'000, .burst = 1e9});
    const std::string line(1000, 'x');
    for (int i = 0; i < 1000; ++i) {
        tail.add(LogLevel::kInfo, "", line);
        for (const char* server : {"a", "b", "c", "d"}) tail.add_from(server, line);
        ASSERT_LE(tail.bytes(), 35'000u);
    }
    EXPECT_GT(tail.bytes(), 30'000u);
    for (const char* server : {"a", "b", "c", "d"}) EXPECT_FALSE(texts(tail, {.server = server}).empty()) << server;
}

TEST(LogTail, AServerThatTalksWithoutEndPushesNothingElseOutAndIsTold) {
    LogTail tail({.server_bytes = 20'000, .lines_per_second = 10, .burst = 5});
    tail.tell_left_out([](std::string_view server, std::uint64_t count) {
        return std::string(server) + " left out " + std::to_string(count);
    });
    TimePoint now = SteadyClock::now();
    tail.add(LogLevel::kInfo, "", "ours");
    tail.add_from("quiet", "quiet");
    int kept = 0;
    const auto flood = [&](int lines) {
        for (int i = 0; i < lines; ++i) {
            if (!tail.admits("loud", now)) continue;
            tail.add_from("loud", "loud " + std::to_string(++kept));
        }
    };
    flood(100'000);
    EXPECT_EQ(kept, 5);
    now += seconds(1);
    flood(3);
    EXPECT_EQ(kept, 8) << "it may speak again";
    EXPECT_THAT(texts(tail), ElementsAre("ours", "quiet", "loud 1", "loud 2", "loud 3", "loud 4", "loud 5",
                                         "loud left out 99995", "loud 6", "loud 7", "loud 8"));
    flood(10);
    EXPECT_THAT(texts(tail).back(), "loud left out 8") << "also when it fell silent afterwards";
    EXPECT_THAT(texts(tail).back(), "loud left out 8") << "once";
}

TEST(LogTail, ServersThatAreGoneMakeRoom) {
    LogTail tail({.max_servers = 3});
    for (int i = 0; i < 10; ++i) tail.add_from("server" + std::to_string(i), std::to_string(i));
    EXPECT_THAT(texts(tail), ElementsAre("7", "8", "9"));
}

TEST(Log, KeepsWhatItsLevelDoesNotTellAndNothingUnredacted) {
    Redactor redactor;
    redactor.add("swordfish");
    const Fd nowhere(::open("/dev/null", O_WRONLY | O_CLOEXEC));
    Log log({.level = LogLevel::kError}, nowhere.get(), &redactor);
    log.write(LogLevel::kDebug, "too little");
    log.write(LogLevel::kInfo, "the password is swordfish", {{"server", "files"}, {"correlation_id", "c-1"}});
    log.write_stderr("files", "swordfish again \xff", false);
    log.write(LogLevel::kWarning, "other", {{"server", "web"}});
    const auto kept = texts(log.tail(), {.server = "files"});
    ASSERT_EQ(kept.size(), 2u);
    EXPECT_EQ(texts(log.tail()).size(), 3u);
    const auto first = Json::parse(kept[0]);
    ASSERT_TRUE(first) << kept[0];
    EXPECT_EQ(first->string_at("message"), "the password is ***");
    EXPECT_EQ(first->string_at("correlation_id"), "c-1");
    EXPECT_EQ(first->string_at("level"), "info");
    const auto second = Json::parse(kept[1]);
    ASSERT_TRUE(second) << kept[1];
    EXPECT_EQ(second->string_at("message"), "*** again \xEF\xBF\xBD");
    EXPECT_EQ(second->string_at("stream"), "stderr");
    log.write(LogLevel::kInfo, std::string(1996, 'x') + "swordfish", {{"server", "long"}});
    EXPECT_THAT(texts(log.tail(), {.server = "long"}).at(0), Not(HasSubstr("swor"))) << "not cut through";
}

class LogTailServed : public ::testing::Test {
protected:
    LogTailServed() { EXPECT_TRUE(server.start().has_value()); }
    ~LogTailServed() override {
        tail.hang_up();
        loop.run_until_done(server.stop(seconds(1)));
    }
    http::Response listen() {
        http::Request request{.url = *Url::parse("http://127.0.0.1:" + std::to_string(server.port()) + "/v1/logs")};
        auto response = loop.run_until_done(client.send(Context::background().within(seconds(30)), std::move(request)));
        EXPECT_TRUE(response.has_value());
        return *std::move(response);
    }
    static Task<std::string> next(http::Response& response, sse::Parser& parser) {
        while (true) {
            while (auto event = parser.next()) {
                if (event->has_data) co_return event->type + " " + event->data;
            }
            auto piece = co_await response.read(Context::background().within(seconds(30)));
            if (!piece || !*piece) co_return "the end";
            static_cast<void>(parser.feed(**piece));
        }
    }
    std::string next(http::Response& response) { return loop.run_until_done(next(response, parser)); }

    Loop loop;
    LogTail tail{{.max_readers = 1, .max_pending = 3}};
    LogTail::Wanted wanted;
    http::Server server{loop, {}, [this](const Context& ctx, http::Exchange& e) { return tail.serve(ctx, e, wanted); }};
    net::EgressGuard guard;
    http::Client client{loop, guard};
    sse::Parser parser;
};

TEST_F(LogTailServed, EndsAfterTheLastLinesUnlessItIsFollowed) {
    tail.add(LogLevel::kInfo, "", "1");
    tail.add(LogLevel::kInfo, "", "2");
    auto response = listen();
    EXPECT_EQ(next(response), "gantry.logs.line 1");
    EXPECT_EQ(next(response), "gantry.logs.line 2");
    EXPECT_EQ(next(response), "the end");
}

TEST_F(LogTailServed, FollowedItGoesOnAndASlowReaderIsToldWhatItMissed) {
    wanted = {.last = 1, .level = LogLevel::kWarning, .follow = true};
    tail.add(LogLevel::kWarning, "", "old");
    tail.add(LogLevel::kInfo, "", "too little");
    auto response = listen();
    EXPECT_EQ(next(response), "gantry.logs.line old");
    tail.add(LogLevel::kInfo, "", "too little");
    // All in one turn of the loop, so that nothing can be sent in between.
    for (int i = 1; i <= 10; ++i) tail.add(LogLevel::kError, "", std::to_string(i));
    for (const char* kept : {"1", "2", "3"}) EXPECT_EQ(next(response), std::string("gantry.logs.line ") + kept);
    EXPECT_EQ(next(response), R"(gantry.logs.missed {"count":7})");
    tail.add(LogLevel::kError, "", "again");
    EXPECT_EQ(next(response), "gantry.logs.line again");
    EXPECT_EQ(listen().status(), 503) << "readers are bounded too";
    tail.hang_up();
    EXPECT_EQ(next(response), "the end");
}

TEST_F(LogTailServed, AReaderThatLeavesIsForgotten) {
    wanted.follow = true;
    auto response = listen();
    EXPECT_EQ(tail.readers(), 1u);
    response.abort();
    EXPECT_TRUE(loop.run_until_done(until([this] { return tail.readers() == 0; })));
}

}  // namespace
}  // namespace gantry::gateway::events
