#include "mcp/transport/stdio.hpp"

#include <signal.h>
#include <sys/resource.h>

#include <vector>

#include "io/loop.hpp"
#include "io/scope.hpp"
#include "mcp/transport/testing.hpp"

namespace gantry::mcp {
namespace {

using namespace testing;
using Body = Task<void> (*)(Connection& connection);

StdioConfig shell(std::string script) {
    return {.command = "sh", .args = {"-c", std::move(script)}};
}

Task<void> connected(StdioConfig config, Body body) {
    StdioTransport transport(std::move(config));
    auto connection = co_await transport.connect(watchdog());
    if (!connection) {
        ADD_FAILURE() << connection.error().to_string();
        co_return;
    }
    co_await body(**connection);
    co_await (*connection)->close();
}
void run(StdioConfig config, Body body) {
    Loop().run_until_done(connected(std::move(config), body));
}

TEST(Stdio, CarriesMessagesBothWays) {
    run({.command = "cat"}, [](Connection& connection) -> Task<void> {
        CO_ASSERT(co_await connection.write(watchdog(), request("a\nb", "ping", JsonObject{{"x", "ü\n"}})));
        auto got = co_await connection.read(watchdog());
        CO_ASSERT(got && *got);
        const auto* echoed = std::get_if<RequestMessage>(&(*got)->message);
        CO_ASSERT(echoed);
        EXPECT_EQ(echoed->id, RequestId("a\nb"));
        EXPECT_EQ(echoed->params.dump(), "{\"x\":\"ü\\n\"}");
    });
}

TEST(Stdio, ToleratesSplitLinesCrlfAndBlankLines) {
    run(shell(R"(printf '\n\r\n  \n{"jsonrpc":"2.0",'; sleep 0.05; printf '"method":"a"}\r'; sleep 0.05;
                 printf '\n{"jsonrpc":"2.0","method":"b"}\n'; cat >/dev/null)"),
        [](Connection& connection) -> Task<void> {
            EXPECT_EQ(text_of(co_await connection.read(watchdog())), "notification a");
            EXPECT_EQ(text_of(co_await connection.read(watchdog())), "notification b");
        });
}

TEST(Stdio, GoesOnAfterGarbageAndNeverEchoesItWhole) {
    run(shell(R"(echo 'Server listening on a very long address that nobody wants to see in full';
                 echo '{"password":"s3cret"}'; printf '\377\376\n'; echo '{"jsonrpc":"2.0","method":"a"}'; cat >/dev/null)"),
        [](Connection& connection) -> Task<void> {
            auto first = co_await connection.read(watchdog());
            CO_ASSERT(!first);
            EXPECT_EQ(first.error().code(), ErrorCode::kParse);
            EXPECT_FALSE(first.error().fatal());
            EXPECT_TRUE(first.error().message().contains("Server listening"));
            EXPECT_FALSE(first.error().message().contains("in full"));
            auto second = co_await connection.read(watchdog());
            CO_ASSERT(!second);
            EXPECT_FALSE(second.error().to_string().contains("s3cret"));
            EXPECT_TRUE(second.error().message().contains("2 so far"));
            EXPECT_FALSE(co_await connection.read(watchdog()));
            EXPECT_EQ(text_of(co_await connection.read(watchdog())), "notification a");
        });
}

TEST(Stdio, SplitsBatches) {
    run(shell(R"(echo '[{"jsonrpc":"2.0","method":"a"},{"jsonrpc":"2.0","id":7,"result":{}}]'; cat >/dev/null)"),
        [](Connection& connection) -> Task<void> {
            EXPECT_EQ(text_of(co_await connection.read(watchdog())), "notification a");
            EXPECT_EQ(text_of(co_await connection.read(watchdog())), "result 7 {}");
        });
}

TEST(Stdio, ALargeNotificationIsDroppedAndALargeAnswerIsNot) {
    const std::string filling = "head -c 20000000 /dev/zero | tr '\\0' x; ";
    run(shell(R"(printf '{"jsonrpc":"2.0","method":"n","params":{"x":"'; )" + filling + R"(echo '"}}'; )" +
              R"(printf '{"jsonrpc":"2.0","id":7,"result":{"x":"'; )" + filling + R"(echo '"}}'; cat >/dev/null)"),
        [](Connection& connection) -> Task<void> {
            const auto dropped = co_await connection.read(watchdog());
            CO_ASSERT(!dropped);
            EXPECT_FALSE(dropped.error().fatal());
            const auto answer = co_await connection.read(watchdog());
            CO_ASSERT(answer && *answer);
            EXPECT_TRUE(std::holds_alternative<ResponseMessage>((*answer)->message));
        });
}

long peak_memory_kb() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

TEST(Stdio, EndsWithLimitOnAHugeLineInBoundedMemory) {
    auto config = shell("head -c 200000000 /dev/zero | tr '\\0' x");
    config.max_line_bytes = 4u << 20;
    const long before = peak_memory_kb();
    run(std::move(config), [](Connection& connection) -> Task<void> {
        auto got = co_await connection.read(watchdog());
        CO_ASSERT(!got);
        EXPECT_EQ(got.error().code(), ErrorCode::kLimit);
        EXPECT_TRUE(got.error().fatal());
        EXPECT_EQ(text_of(co_await connection.read(watchdog())), text_of(got)) << "the end is final";
    });
    EXPECT_LT(peak_memory_kb() - before, 100'000) << "KB for a limit of 4 MB";
}

TEST(Stdio, NamesExitStatusAndLastWordsWhenTheServerEnds) {
    run(shell(R"(echo 'cannot open database' >&2; exit 3)"), [](Connection& connection) -> Task<void> {
        auto got = co_await connection.read(watchdog());
        CO_ASSERT(!got);
        EXPECT_EQ(got.error().code(), ErrorCode::kConnection);
        EXPECT_TRUE(got.error().fatal());
        EXPECT_TRUE(got.error().message().contains("3")) << got.error().message();
        EXPECT_TRUE(got.error().message().contains("cannot open database")) << got.error().message();
        EXPECT_FALSE((co_await connection.write(watchdog(), notification("late"))).has_value());
    });
}

TEST(Stdio, AWriteToAServerThatAlreadyEndedSaysWhyItEnded) {
    run(shell(R"(exec 0<&-; echo 'no licence' >&2; exit 3)"), [](Connection& connection) -> Task<void> {
        for (;;) {  // until the pipe breaks; the first lines may still fit into it
            auto written = co_await connection.write(watchdog(), notification("hello"));
            if (written) {
                co_await yield_now();
                continue;
            }
            EXPECT_EQ(written.error().code(), ErrorCode::kConnection);
            EXPECT_TRUE(written.error().message().contains("exit code 3")) << written.error().message();
            EXPECT_TRUE(written.error().message().contains("no licence")) << written.error().message();
            co_return;
        }
    });
}

TEST(Stdio, SaysThatTheServerEndedInTheMiddleOfAMessage) {
    run(shell(R"(printf '{"jsonrpc":"2.0","method":"a"}\n{"jsonrpc":"2.0","id')"),
        [](Connection& connection) -> Task<void> {
            EXPECT_EQ(text_of(co_await connection.read(watchdog())), "notification a");
            auto got = co_await connection.read(watchdog());
            CO_ASSERT(!got);
            EXPECT_TRUE(got.error().fatal());
            EXPECT_TRUE(got.error().message().contains("middle of a message")) << got.error().message();
        });
}

TEST(Stdio, AcceptsALastMessageWithoutNewline) {
    run(shell(R"(printf '{"jsonrpc":"2.0","method":"a"}')"), [](Connection& connection) -> Task<void> {
        EXPECT_EQ(text_of(co_await connection.read(watchdog())), "notification a");
        EXPECT_TRUE(text_of(co_await connection.read(watchdog())).starts_with("fatal connection"));
    });
}

Task<void> write_many(Connection* connection, int writer, int count) {
    for (int i = 0; i < count; ++i) {
        const std::size_t size = static_cast<std::size_t>(i % 7) * 3000;
        auto written = co_await connection->write(
            watchdog(), request(writer * 1000 + i, "ping", JsonObject{{"fill", std::string(size, 'x')}}));
        if (!written) {
            ADD_FAILURE() << written.error().to_string();
            co_return;
        }
    }
}
TEST(Stdio, ConcurrentWritersNeverInterleave) {
    run({.command = "cat"}, [](Connection& connection) -> Task<void> {
        constexpr int kWriters = 20;
        constexpr int kEach = 25;
        Scope scope(watchdog());
        for (int writer = 0; writer < kWriters; ++writer) scope.spawn(write_many(&connection, writer, kEach));
        std::vector<int> next(kWriters, 0);
        for (int i = 0; i < kWriters * kEach; ++i) {
            auto got = co_await connection.read(watchdog());
            if (!got || !*got) {
                ADD_FAILURE() << text_of(got);
                break;
            }
            const auto id = std::get<std::int64_t>(std::get<RequestMessage>((*got)->message).id);
            EXPECT_EQ(id % 1000, next[static_cast<std::size_t>(id / 1000)]++) << "each writer's order is kept";
        }
        co_await scope.join();
    });
}

TEST(Stdio, AWriterThatGivesUpDoesNotCutALine) {
    // The child reads nothing for a while: the pipe fills, the write times out, and the rest must still be sent whole.
    run(shell("sleep 0.3; exec cat"), [](Connection& connection) -> Task<void> {
        auto timed_out = co_await connection.write(watchdog().within(milliseconds(50)),
                                                   request(1, "big", JsonObject{{"fill", std::string(1u << 20, 'x')}}));
        CO_ASSERT(!timed_out);
        EXPECT_EQ(timed_out.error().code(), ErrorCode::kTimeout);
        EXPECT_FALSE(timed_out.error().fatal());
        Scope scope(watchdog());
        scope.spawn(write_many(&connection, 2, 1));
        EXPECT_EQ(text_of(co_await connection.read(watchdog())), "request 1 big");
        EXPECT_EQ(text_of(co_await connection.read(watchdog())), "request 2000 ping");
        co_await scope.join();
    });
}

TEST(Stdio, ShortLinesThatTimeOutOnAFullPipeAreSentWholeOrNotAtAll) {
    run(shell("sleep 0.3; exec cat"), [](Connection& connection) -> Task<void> {
        const Context soon = watchdog().within(milliseconds(100));
        std::int64_t sent = 0;
        while (co_await connection.write(soon, request(sent, "x", JsonObject{{"fill", std::string(1000, 'x')}})))
            ++sent;
        CO_ASSERT(!soon.check());
        EXPECT_GT(sent, 10);
        Scope scope(watchdog());
        scope.spawn(write_many(&connection, 900, 1));
        for (std::int64_t id = 0; id < sent; ++id) {
            EXPECT_EQ(text_of(co_await connection.read(watchdog())), "request " + std::to_string(id) + " x");
        }
        EXPECT_EQ(text_of(co_await connection.read(watchdog())), "request 900000 ping");
        co_await scope.join();
    });
}

struct Refusals {
    int soft = 0;
    int fatal = 0;
};
Task<void> write_into_nothing(Connection* connection, std::int64_t id, Refusals* refusals) {
    const auto written = co_await connection->write(watchdog().within(seconds(2)),
                                                    request(id, "big", JsonObject{{"fill", std::string(20'000, 'x')}}));
    if (!written && written.error().code() == ErrorCode::kLimit) {
        ++(written.error().fatal() ? refusals->fatal : refusals->soft);
    }
}
TEST(Stdio, AServerThatDoesNotReadIsRefusedMoreAndGivenUpAfterTheStallTime) {
    StdioConfig config = shell("exec sleep 1000");
    config.max_pending_bytes = 100'000;
    config.stall_timeout = milliseconds(300);
    run(config, [](Connection& connection) -> Task<void> {
        Refusals refusals;
        Scope scope(watchdog());
        for (std::int64_t id = 1; id <= 50; ++id) scope.spawn(write_into_nothing(&connection, id, &refusals));
        for (int i = 0; i < 5; ++i) co_await yield_now();
        // A pipe of 64 KB, one batch being written, a full queue and as much waiting: the rest fails at once.
        EXPECT_GT(refusals.soft, 25);
        EXPECT_EQ(refusals.fatal, 0);
        const Context waiting = watchdog();
        for (std::int64_t id = 51; refusals.fatal == 0 && waiting.check(); ++id) {
            (void)co_await sleep_for(waiting, milliseconds(20));
            co_await write_into_nothing(&connection, id, &refusals);
        }
        EXPECT_EQ(refusals.fatal, 1);
        co_await scope.join();
    });
}

TEST(Stdio, AnAnswerThatCannotBeReadIsLostByItsIdWhereverThatStands) {
    run(shell(R"sh(
deep=$(printf '[%.0s' $(seq 500))$(printf ']%.0s' $(seq 500))
echo '{"jsonrpc":"2.0","id":7,"result":'$deep'}'
echo '{"result":'$deep',"jsonrpc":"2.0","id":"x"}'
echo '{"jsonrpc":"2.0","method":"m","params":{"deep":'$deep'}}'
echo '{"jsonrpc":"2.0","method":"end"}'; cat >/dev/null)sh"),
        [](Connection& connection) -> Task<void> {
            EXPECT_EQ(text_of(co_await connection.read(watchdog())), "lost 7 limit exceeded");
            EXPECT_EQ(text_of(co_await connection.read(watchdog())), "lost \"x\" limit exceeded");
            const auto noise = co_await connection.read(watchdog());
            EXPECT_FALSE(noise) << "no answer: nobody waits for it";
            EXPECT_EQ(text_of(co_await connection.read(watchdog())), "notification end");
        });
}

constexpr const char* kCutEmoji =
    R"sh(printf '%s\n' '{"jsonrpc":"2.0","id":1,"result":{"t":"\ud83d!"}}'; cat >/dev/null)sh";

TEST(Stdio, LoneSurrogatesAreReplaced) {
    run(shell(kCutEmoji), [](Connection& connection) -> Task<void> {
        EXPECT_EQ(text_of(co_await connection.read(watchdog())), "result 1 {\"t\":\"\xEF\xBF\xBD!\"}");
    });
}

TEST(Stdio, LoneSurrogatesAreRefusedWhereTheServerIsHeldToTheRules) {
    StdioConfig config = shell(kCutEmoji);
    config.strict_json = true;
    run(config, [](Connection& connection) -> Task<void> {
        EXPECT_EQ(text_of(co_await connection.read(watchdog())), "lost 1 malformed data");
    });
}

TEST(Stdio, ACancelledReadLosesNothing) {
    run(shell(R"(read -r x; printf '{"jsonrpc":"2.0",'; read -r x; printf '"method":"a"}\n'; cat >/dev/null)"),
        [](Connection& connection) -> Task<void> {
            CO_ASSERT(co_await connection.write(watchdog(), notification("go")));
            auto nothing = co_await connection.read(watchdog().within(milliseconds(100)));
            CO_ASSERT(!nothing);
            EXPECT_EQ(nothing.error().code(), ErrorCode::kTimeout);
            EXPECT_FALSE(nothing.error().fatal());
            CO_ASSERT(co_await connection.write(watchdog(), notification("go")));
            EXPECT_EQ(text_of(co_await connection.read(watchdog())), "notification a");
        });
}

Task<void> read_once(Connection* connection, std::string* out) {
    *out = text_of(co_await connection->read(watchdog()));
}
TEST(Stdio, CloseStopsAServerThatIgnoresEofAndTermAndWakesTheReader) {
    auto config =
        shell(R"(trap '' TERM; echo "{\"jsonrpc\":\"2.0\",\"id\":$$,\"method\":\"pid\"}"; while :; do sleep 1; done)");
    config.stop = {.after_eof = milliseconds(50), .after_term = milliseconds(50)};
    run(std::move(config), [](Connection& connection) -> Task<void> {
        auto got = co_await connection.read(watchdog());
        CO_ASSERT(got && *got);
        const auto pid = std::get<std::int64_t>(std::get<RequestMessage>((*got)->message).id);
        Scope scope(watchdog());
        std::string seen;
        scope.spawn(read_once(&connection, &seen));
        co_await yield_now();
        co_await connection.close();
        co_await scope.join();
        EXPECT_EQ(seen, "end");
        EXPECT_EQ(text_of(co_await connection.read(watchdog())), "end");
        EXPECT_FALSE((co_await connection.write(watchdog(), notification("late"))).has_value());
        // Inside a PID namespace the child does not know its outer pid; then there is nothing to check.
        if (pid > 100) EXPECT_NE(::kill(static_cast<pid_t>(pid), 0), 0);
    });
}

TEST(Stdio, CloseDoesNotWaitForAServerBlockedOnItsStdout) {
    run(shell("yes '{\"jsonrpc\":\"2.0\",\"method\":\"flood\"}' & read -r x; read -r y; kill $!; exit 0"),
        [](Connection& connection) -> Task<void> {
            EXPECT_EQ(text_of(co_await connection.read(watchdog())), "notification flood");
        });
}

TEST(Stdio, GivesTheChildTheConfiguredEnvironmentAndNothingElse) {
    ::setenv("GANTRY_TEST_LEAK", "leaked", 1);
    auto config = shell(R"(echo "{\"jsonrpc\":\"2.0\",\"method\":\"$GIVEN,$GANTRY_TEST_LEAK,$TZ\"}"; cat >/dev/null)");
    config.env = {{"GIVEN", "yes"}, {"TZ", "Mars"}};
    run(std::move(config), [](Connection& connection) -> Task<void> {
        EXPECT_EQ(text_of(co_await connection.read(watchdog())), "notification yes,,Mars");
    });
    ::unsetenv("GANTRY_TEST_LEAK");
}

Task<void> taps() {
    std::vector<std::string> seen;
    StdioTransport transport({.command = "cat", .tap = [&seen](const WireEvent& event) {
                                  seen.push_back((event.direction == WireEvent::Direction::kSent ? ">" : "<") +
                                                 std::string(event.text));
                              }});
    auto connection = co_await transport.connect(watchdog());
    CO_ASSERT(connection);
    EXPECT_TRUE(co_await (*connection)->write(watchdog(), notification("a")));
    EXPECT_EQ(text_of(co_await (*connection)->read(watchdog())), "notification a");
    co_await (*connection)->close();
    EXPECT_EQ(seen,
              (std::vector<std::string>{R"(>{"jsonrpc":"2.0","method":"a"})", R"(<{"jsonrpc":"2.0","method":"a"})"}));
}
TEST(Stdio, ShowsEveryLineToTheTap) {
    Loop().run_until_done(taps());
}

Task<void> missing() {
    StdioTransport transport({.command = "gantry-no-such-program", .args = {"--token", "s3cret"}});
    EXPECT_EQ(transport.describe(), "stdio gantry-no-such-program --token ***");
    auto connection = co_await transport.connect(watchdog());
    CO_ASSERT(!connection);
    EXPECT_FALSE(connection.error().to_string().contains("s3cret"));
}
TEST(Stdio, ReportsACommandThatCannotBeStarted) {
    Loop().run_until_done(missing());
}

}  // namespace
}  // namespace gantry::mcp
