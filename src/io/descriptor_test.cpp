#include "io/descriptor.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string>

#include "base/try.hpp"
#include "io/root.hpp"
#include "io/scope.hpp"

namespace gantry {
namespace {

struct Pair {
    Fd near, far;
    Pair() {
        std::array<int, 2> ends{};
        EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends.data()), 0);
        near = Fd(ends[0]);
        far = Fd(ends[1]);
    }
};

void say(const Fd& to, std::string_view text) {
    EXPECT_EQ(::write(to.get(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
}

/// Reads everything available; leaves the descriptor dry.
std::string drain(Descriptor& from) {
    std::string all;
    std::array<char, 64> piece;
    for (;;) {
        const ssize_t size = ::read(from.get(), piece.data(), piece.size());
        if (size <= 0) break;
        all.append(piece.data(), static_cast<std::size_t>(size));
    }
    from.read_dry();
    return all;
}

Task<void> wait_into(Context ctx, Descriptor* descriptor, bool write, std::optional<Result<void>>* into) {
    if (write) {
        *into = co_await descriptor->writable(ctx);
    } else {
        *into = co_await descriptor->readable(ctx);
    }
}

Task<void> news_case() {
    Pair pair;
    Descriptor near(Loop::current(), std::move(pair.near));
    EXPECT_TRUE(near.may_read());  // readiness is assumed until known
    EXPECT_EQ(drain(near), "");
    for (const std::string text : {"one", "two", "three"}) {
        Scope scope(Context::background());
        std::optional<Result<void>> got;
        scope.spawn(wait_into(scope.context(), &near, false, &got));
        co_await yield_now();
        co_await yield_now();
        EXPECT_FALSE(got.has_value());
        say(pair.far, text);
        co_await scope.join();
        EXPECT_TRUE(got && *got);
        EXPECT_TRUE(near.may_read());
        EXPECT_EQ(drain(near), text);
    }
    // Bytes that arrive while no task waits are not lost.
    say(pair.far, "unseen");
    EXPECT_TRUE(co_await near.readable(Context::background()));
    EXPECT_EQ(drain(near), "unseen");
}

TEST(Descriptor, TellsOfEveryArrival) {
    Loop loop;
    loop.run_until_done(news_case());
}

Task<void> end_case() {
    Pair pair;
    Descriptor near(Loop::current(), std::move(pair.near));
    drain(near);
    say(pair.far, "last words");
    pair.far.reset();
    EXPECT_TRUE(co_await near.readable(Context::background()));
    EXPECT_TRUE(near.hung_up());
    EXPECT_EQ(drain(near), "last words");
    EXPECT_TRUE(near.may_read()) << "an end stays readable";
    EXPECT_TRUE(co_await near.readable(Context::background()));
}

TEST(Descriptor, AnEndIsNotMissedBehindTheLastBytes) {
    Loop loop;
    loop.run_until_done(end_case());
}

Task<void> stirred_case() {
    Pair pair;
    Descriptor near(Loop::current(), std::move(pair.near));
    say(pair.far, "unread");
    EXPECT_TRUE(co_await near.stirred(Context::background()));
    EXPECT_FALSE(near.hung_up());
    // The same bytes are not reported again; only the end is new.
    const auto quiet = co_await near.stirred(Context::background().within(milliseconds(30)));
    EXPECT_TRUE(!quiet && quiet.error().code() == ErrorCode::kTimeout);
    pair.far.reset();
    EXPECT_TRUE(co_await near.stirred(Context::background()));
    EXPECT_TRUE(near.hung_up());
}

TEST(Descriptor, StirredWaitsForNewsBehindUnreadBytes) {
    Loop loop;
    loop.run_until_done(stirred_case());
}

Task<void> both_sides_case() {
    Pair pair;
    Descriptor near(Loop::current(), std::move(pair.near));
    drain(near);
    const std::string block(4096, 'x');
    while (::write(near.get(), block.data(), block.size()) > 0) continue;
    EXPECT_EQ(errno, EAGAIN);
    near.write_full();
    Scope scope(Context::background());
    CancelSource stop;
    std::optional<Result<void>> read, written;
    scope.spawn(wait_into(Context::background().stopped_by(stop), &near, false, &read));
    scope.spawn(wait_into(scope.context(), &near, true, &written));
    co_await yield_now();
    co_await yield_now();
    stop.cancel();  // the end of one direction does not affect the other
    co_await yield_now();
    co_await yield_now();
    EXPECT_TRUE(read && !*read && read->error().code() == ErrorCode::kCancelled);
    EXPECT_FALSE(written.has_value());
    std::array<char, 65536> taken;
    while (::read(pair.far.get(), taken.data(), taken.size()) > 0) continue;
    co_await scope.join();
    EXPECT_TRUE(written && *written);
}

TEST(Descriptor, ReadingAndWritingWaitIndependently) {
    Loop loop;
    loop.run_until_done(both_sides_case());
}

Task<void> close_case() {
    Pair pair;
    Descriptor near(Loop::current(), std::move(pair.near));
    drain(near);
    Scope scope(Context::background());
    std::optional<Result<void>> got;
    scope.spawn(wait_into(scope.context(), &near, false, &got));
    co_await yield_now();
    co_await yield_now();
    near.close();
    near.close();
    co_await scope.join();
    EXPECT_TRUE(got && !*got && got->error().code() == ErrorCode::kConnection);
    const auto again = co_await near.readable(Context::background());
    EXPECT_TRUE(!again && again.error().code() == ErrorCode::kConnection);
}

TEST(Descriptor, ClosingWakesWhoWaits) {
    Loop loop;
    loop.run_until_done(close_case());
}

Task<void> plain_file_case() {
    Descriptor file(Loop::current(), Fd(::open("/proc/self/exe", O_RDONLY | O_CLOEXEC)));
    file.read_dry();
    EXPECT_TRUE(co_await file.readable(Context::background()));
    EXPECT_TRUE(file.may_read());
}

TEST(Descriptor, APlainFileIsAlwaysReady) {
    Loop loop;
    loop.run_until_done(plain_file_case());
}

Task<void> unwatchable_case() {
    Pair pair;
    const int number = pair.near.get();
    Descriptor gone(Loop::current(), std::move(pair.near));
    gone.read_dry();
    ::close(number);  // behind its back: the kernel refuses to watch it, as when it runs out of watches
    const auto waited = co_await gone.readable(Context::background());
    EXPECT_TRUE(!waited && waited.error().code() == ErrorCode::kConnection);
    EXPECT_FALSE(gone.may_read()) << "or whoever reads would try for ever";
}

TEST(Descriptor, WhatTheKernelWillNotWatchIsAnError) {
    Loop loop;
    loop.run_until_done(unwatchable_case());
}

Root wait_for_ever(Loop&, Descriptor* descriptor, int* woken) {
    (void)co_await descriptor->readable(Context::background());
    ++*woken;
}

Root own_for_ever(Loop& loop, Fd fd, int* woken) {
    Descriptor descriptor(loop, std::move(fd));
    drain(descriptor);
    wait_for_ever(loop, &descriptor, woken);
    (void)co_await sleep_for(Context::background(), seconds(3600));
}

TEST(Descriptor, ALoopThatGoesTakesItsWaitersWithItInAnyOrder) {
    Pair pair;
    int woken = 0;
    {
        Loop loop;
        own_for_ever(loop, std::move(pair.near), &woken);
        own_for_ever(loop, std::move(pair.far), &woken);
        for (int turn = 0; turn < 3; ++turn) loop.run_until_done(one_turn());
    }
    EXPECT_EQ(woken, 0);
}

}  // namespace
}  // namespace gantry
