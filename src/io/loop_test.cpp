#include "io/loop.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "io/descriptor.hpp"
#include "io/scope.hpp"
#include "io/sync.hpp"

namespace gantry {
namespace {

Task<int> answer() {
    co_await yield_now();
    co_return 42;
}

TEST(Loop, RunsATaskAndReturnsItsValue) {
    Loop loop;
    EXPECT_EQ(loop.run_until_done(answer()), 42);
    EXPECT_EQ(loop.run_until_done(answer()), 42);
}

Task<void> throws() {
    co_await yield_now();
    throw std::runtime_error("out");
}

TEST(Loop, LetsTheTasksExceptionOut) {
    Loop loop;
    EXPECT_THROW(loop.run_until_done(throws()), std::runtime_error);
}

Task<bool> knows_itself(Loop* loop) {
    co_return &Loop::current() == loop && loop->on_this_thread();
}

TEST(Loop, IsCurrentOnlyWhileItRuns) {
    Loop loop;
    EXPECT_FALSE(loop.on_this_thread());
    EXPECT_TRUE(loop.run_until_done(knows_itself(&loop)));
    EXPECT_FALSE(loop.on_this_thread());
}

TEST(Loop, ReturnsFromRunWhenNothingIsLeft) {
    Loop loop;
    int ran = 0;
    loop.post([&] { ++ran; });
    loop.run();
    loop.post([&] { ++ran; });
    loop.run();
    EXPECT_EQ(ran, 2);
}

TEST(Loop, KeepsTheOrderOfPostsFromAnotherThread) {
    Loop loop;
    constexpr int kPosts = 1000;
    std::vector<int> seen;
    std::jthread poster([&] {
        for (int i = 0; i < kPosts; ++i) {
            loop.post([&seen, &loop, i] {
                EXPECT_TRUE(loop.on_this_thread());
                seen.push_back(i);
                if (i == kPosts - 1) loop.stop();
            });
        }
    });
    const Loop::Busy busy(loop);
    loop.run();
    ASSERT_EQ(seen.size(), static_cast<std::size_t>(kPosts));
    EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end()));
}

TEST(Loop, RemembersAStopThatComesBeforeRun) {
    for (int round = 0; round < 50; ++round) {
        Loop loop;
        const Loop::Busy busy(loop);
        std::jthread runner([&] { loop.run(); });
        loop.stop();
    }
}

Task<void> wait_and_note(Context ctx, Event* event, std::string* notes, char name) {
    auto waited = co_await event->wait(ctx);
    *notes += waited ? name : '!';
}

TEST(Event, WakesInOrderOfArrivalAndNeverInsideSet) {
    Loop loop;
    loop.run_until_done([](Loop&) -> Task<void> {
        Event event;
        std::string notes;
        Scope scope(Context::background());
        for (char name : {'a', 'b', 'c'}) scope.spawn(wait_and_note(scope.context(), &event, &notes, name));
        co_await yield_now();
        co_await yield_now();
        event.set();
        EXPECT_EQ(notes, "");
        co_await scope.join();
        EXPECT_EQ(notes, "abc");
        EXPECT_TRUE(co_await event.wait(Context::background()));
    }(loop));
}

Task<void> pulse_case() {
    Event event;
    std::string notes;
    Scope scope(Context::background());
    scope.spawn(wait_and_note(scope.context(), &event, &notes, 'a'));
    co_await yield_now();
    co_await yield_now();
    event.pulse();
    scope.spawn(wait_and_note(scope.context(), &event, &notes, 'b'));
    co_await yield_now();
    co_await yield_now();
    co_await yield_now();
    EXPECT_EQ(notes, "a");
    EXPECT_EQ(scope.running(), 1u);
    scope.cancel();
    co_await scope.join();
    EXPECT_EQ(notes, "a!");
}

TEST(Event, PulseWakesOnlyThePresentWaiters) {
    Loop loop;
    loop.run_until_done(pulse_case());
}

Task<ErrorCode> wait_for_nothing(Context ctx) {
    Event event;
    auto waited = co_await event.wait(ctx);
    co_return waited ? ErrorCode::kInternal : waited.error().code();
}

TEST(Event, EndsWithTimeoutWhenTheDeadlinePasses) {
    Loop loop;
    EXPECT_EQ(loop.run_until_done(wait_for_nothing(Context().within(milliseconds(1)))), ErrorCode::kTimeout);
}

Task<bool> agrees_that_time_is_up(Context ctx) {
    Event event;
    const auto waited = co_await event.wait(ctx);
    co_return !waited && !ctx.check();
}

// Callers distinguish their own timeout from their caller's by checking the context after a timeout.
TEST(Event, ATimeoutIsOneForTheContextToo) {
    Loop loop;
    for (int round = 0; round < 20; ++round) {
        EXPECT_TRUE(loop.run_until_done(agrees_that_time_is_up(Context().within(milliseconds(1 + round)))));
    }
}

TEST(Event, EndsWithCancelledFromAnotherThreadsPost) {
    Loop loop;
    CancelSource source;
    std::jthread other([&] { loop.post([&source] { source.cancel(); }); });
    EXPECT_EQ(loop.run_until_done(wait_for_nothing(Context().stopped_by(source))), ErrorCode::kCancelled);
}

Task<ErrorCode> sleep_code(Context ctx, Duration duration) {
    auto slept = co_await sleep_for(ctx, duration);
    co_return slept ? ErrorCode::kInternal : slept.error().code();
}

Task<bool> sleeps_at_least(Duration duration) {
    const TimePoint start = SteadyClock::now();
    auto slept = co_await sleep_for(Context::background(), duration);
    co_return slept&& SteadyClock::now() - start >= duration;
}

TEST(Sleep, IsNeverShort) {
    Loop loop;
    EXPECT_TRUE(loop.run_until_done(sleeps_at_least(milliseconds(1))));
    EXPECT_TRUE(loop.run_until_done(sleeps_at_least(milliseconds(30))));
    EXPECT_TRUE(loop.run_until_done(sleeps_at_least(Duration::zero())));
}

TEST(Sleep, EndsEarlyWithTheContextsError) {
    Loop loop;
    EXPECT_EQ(loop.run_until_done(sleep_code(Context().within(milliseconds(5)), seconds(3600))), ErrorCode::kTimeout);
    CancelSource source;
    loop.post([source] { source.cancel(); });
    EXPECT_EQ(loop.run_until_done(sleep_code(Context().stopped_by(source), seconds(3600))), ErrorCode::kCancelled);
}

Task<void> alarm_case(Loop* loop) {
    struct Probe {
        Event event;
        int fired = 0;
        static void fire(void* self) {
            auto* probe = static_cast<Probe*>(self);
            ++probe->fired;
            probe->event.set();
        }
    } probe, never;
    Loop::Alarm alarm, disarmed;
    disarmed.arm(*loop, Deadline::after(milliseconds(1)), Probe::fire, &never);
    alarm.arm(*loop, Deadline::after(seconds(3600)), Probe::fire, &probe);
    alarm.arm(*loop, Deadline::after(milliseconds(1)), Probe::fire, &probe);  // replaces
    disarmed.disarm();
    EXPECT_TRUE(co_await probe.event.wait(Context::background()));
    EXPECT_EQ(probe.fired, 1);
    EXPECT_EQ(never.fired, 0);
    EXPECT_FALSE(alarm.armed());
    alarm.arm(*loop, Deadline::never(), Probe::fire, &probe);
    EXPECT_FALSE(alarm.armed());
}

TEST(Alarm, FiresOnceUnlessDisarmedOrReplaced) {
    Loop loop;
    loop.run_until_done(alarm_case(&loop));
}

Task<void> say_together(std::string* said, char name) {
    *said += name;
    co_await yield_if_busy();
    *said += static_cast<char>(name - 'a' + 'A');
}

Task<std::string> gathered(std::string names) {
    std::string said;
    Scope scope(Context::background());
    for (const char name : names) scope.spawn(say_together(&said, name));
    co_await scope.join();
    co_return said;
}

TEST(Yield, LettingOthersFirstGathersACrowdAndDoesNotKeepAFewWaiting) {
    Loop loop;
    EXPECT_EQ(loop.run_until_done(gathered("abcdefghijkl")), "abcdefghijklABCDEFGHIJKL");
    EXPECT_EQ(loop.run_until_done(gathered("abc")), "aAbBcC");
    EXPECT_EQ(loop.run_until_done(gathered("a")), "aA");
}

Task<void> greedy(const bool* stop, int* turns) {
    while (!*stop) {
        ++*turns;
        co_await yield_now();
    }
}

Task<int> greedy_beside_a_pipe() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_NONBLOCK | O_CLOEXEC) != 0) co_return -1;
    Descriptor from(Loop::current(), Fd(ends[0]));
    const Fd to(ends[1]);
    from.read_dry();
    bool stop = false;
    int turns = 0;
    Scope scope(Context::background());
    scope.spawn(greedy(&stop, &turns));
    if (::write(to.get(), "x", 1) != 1) co_return -1;
    const auto told = co_await from.readable(Context::background());
    stop = true;
    co_await scope.join();
    co_return told ? turns : -1;
}

TEST(Yield, OneThatYieldsForEverDoesNotKeepTheKernelsNewsAway) {
    Loop loop;
    const int turns = loop.run_until_done(greedy_beside_a_pipe());
    EXPECT_GE(turns, 1);
    EXPECT_LE(turns, 3);
}

struct Tracked {
    std::shared_ptr<int> count;
    explicit Tracked(std::shared_ptr<int> counter) : count(std::move(counter)) { ++*count; }
    Tracked(const Tracked&) = delete;
    Tracked& operator=(const Tracked&) = delete;
    ~Tracked() { --*count; }
};

Task<void> hang(Context ctx, std::shared_ptr<int> count, bool asleep) {
    Tracked tracked(std::move(count));
    Event event;
    Scope scope(ctx);
    if (asleep) {
        (void)co_await sleep_for(scope.context(), seconds(3600));
    } else {
        (void)co_await event.wait(scope.context());
    }
    co_await scope.join();
}

Task<void> leave_tasks_behind(Scope* scope, std::shared_ptr<int> count) {
    for (int i = 0; i < 4; ++i) scope->spawn(hang(scope->context(), count, i % 2 == 0));
    co_await yield_now();
    co_await yield_now();
    scope->spawn(hang(scope->context(), count, true));  // never started
}

TEST(Loop, UnwindsSuspendedTasksWhenDestroyed) {
    auto count = std::make_shared<int>(0);
    auto loop = std::make_unique<Loop>();
    auto scope = std::make_unique<Scope>(Context::background());
    loop->run_until_done(leave_tasks_behind(scope.get(), count));
    EXPECT_EQ(*count, 4);
    // The scope's children are destroyed with the loop; only then may the scope be destroyed without join().
    Loop* raw = loop.get();
    raw->post([scope = std::shared_ptr<Scope>(std::move(scope))] {});
    loop.reset();
    EXPECT_EQ(*count, 0);
}

}  // namespace
}  // namespace gantry
