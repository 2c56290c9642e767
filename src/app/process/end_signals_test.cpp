#include "app/process/end_signals.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <string>
#include <vector>

#include "io/loop.hpp"

namespace gantry::app {
namespace {

using testing::ElementsAre;

/// Records the effects of signals, and wakes a waiter.
struct Diary {
    void note(std::string what) {
        lines.push_back(std::move(what));
        changed.pulse();
    }
    Task<void> until(std::size_t count) {
        const Context limit = Context::background().within(seconds(60));
        while (lines.size() < count && co_await changed.wait(limit)) {}
    }
    std::vector<std::string> lines;
    Event changed;
};

struct Rig {
    Diary diary;
    EndSignals signals{{.first = [this] { diary.note("end"); }, .again = [this] { diary.note("at once"); }}};
};

Task<void> ask_twice(Rig& rig) {
    EXPECT_TRUE(rig.signals.begin(false).has_value());
    EXPECT_TRUE(rig.signals.until_first().check().has_value());
    std::raise(SIGTERM);
    co_await rig.signals.first();
    EXPECT_FALSE(rig.signals.until_first().check().has_value());
    std::raise(SIGINT);
    co_await rig.diary.until(2);
    co_await rig.signals.stop();
}

TEST(EndSignals, TheFirstAsksForTheEndAndTheNextForItAtOnce) {
    Loop loop;
    Rig rig;
    loop.run_until_done(ask_twice(rig));
    EXPECT_THAT(rig.diary.lines, ElementsAre("end", "at once"));
}

/// Runs until it is cancelled.
Task<void> endless_reload(const Context& ctx, Diary& diary) {
    diary.note("reload");
    Event never;
    auto waited = co_await never.wait(ctx);
    diary.note(waited ? "done" : "given up");
}

Task<void> end_in_a_reload(Rig& rig) {
    EXPECT_TRUE(rig.signals.begin(true).has_value());
    std::raise(SIGHUP);  // before a handler is set: handled later
    rig.signals.on_hangup([&rig](const Context& ctx) { return endless_reload(ctx, rig.diary); });
    co_await rig.diary.until(1);
    std::raise(SIGTERM);
    co_await rig.signals.first();
    co_await rig.signals.end_reloads();
    co_await rig.signals.stop();
}

TEST(EndSignals, AReloadThatHangsKeepsNobodyFromEnding) {
    Loop loop;
    Rig rig;
    loop.run_until_done(end_in_a_reload(rig));
    EXPECT_THAT(rig.diary.lines, ElementsAre("reload", "end", "given up"));
}

}  // namespace
}  // namespace gantry::app
