#include "io/alarm_wheel.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <vector>

namespace gantry {
namespace {

using Tick = AlarmWheel::Tick;

struct Probe {
    AlarmWheel* wheel = nullptr;
    Loop::Alarm alarm;
    int fired = 0;
    static void fire(void* self) { ++static_cast<Probe*>(self)->fired; }
    void arm(AlarmWheel& on, Tick due) { on.insert(alarm, due, fire, this); }
};

TEST(AlarmWheel, FiresAtTheTickNeverBefore) {
    AlarmWheel wheel;
    Probe probe;
    probe.arm(wheel, 10);
    wheel.advance(9);
    EXPECT_EQ(probe.fired, 0);
    wheel.advance(10);
    EXPECT_EQ(probe.fired, 1);
    EXPECT_FALSE(probe.alarm.armed());
    EXPECT_EQ(wheel.size(), 0u);
}

TEST(AlarmWheel, LooksAtLaterTurnsOnlyWhenTheyCome) {
    AlarmWheel wheel;
    Probe far;
    far.arm(wheel, 3 * 512 + 7);
    for (Tick now = 1; now < 3 * 512 + 7; ++now) wheel.advance(now);
    EXPECT_EQ(far.fired, 0);
    wheel.advance(3 * 512 + 7);
    EXPECT_EQ(far.fired, 1);
}

TEST(AlarmWheel, CatchesUpAfterALongPause) {
    AlarmWheel wheel;
    Probe probes[3];
    probes[0].arm(wheel, 1);
    probes[1].arm(wheel, 600);
    probes[2].arm(wheel, 100'001);
    wheel.advance(100'000);
    EXPECT_EQ(probes[0].fired, 1);
    EXPECT_EQ(probes[1].fired, 1);
    EXPECT_EQ(probes[2].fired, 0);
}

TEST(AlarmWheel, MovesPastDeadlinesToTheNextTick) {
    AlarmWheel wheel;
    wheel.skip_to(50);
    Probe probe;
    probe.arm(wheel, -5);
    EXPECT_EQ(wheel.next(25), 51);
    wheel.advance(51);
    EXPECT_EQ(probe.fired, 1);
}

TEST(AlarmWheel, LetsACallbackDisarmWhatIsAlsoDue) {
    AlarmWheel wheel;
    Probe second;
    struct Killer {
        Loop::Alarm alarm;
        Probe* victim;
    } killer{{}, &second};
    wheel.insert(killer.alarm, 5, [](void* self) { static_cast<Killer*>(self)->victim->alarm.disarm(); }, &killer);
    second.arm(wheel, 5);
    wheel.advance(5);
    EXPECT_EQ(second.fired, 0);
    EXPECT_EQ(wheel.size(), 0u);
}

TEST(AlarmWheel, DisarmsWhatOutlivesIt) {
    Probe probe;
    {
        AlarmWheel wheel;
        probe.arm(wheel, 5);
    }
    EXPECT_FALSE(probe.alarm.armed());
}

TEST(AlarmWheel, AgreesWithAPlainListOverRandomTraffic) {
    AlarmWheel wheel;
    std::mt19937 random(7);
    struct Item {
        Loop::Alarm alarm;
        Tick due = 0;
        Tick fired_at = -1;
        Tick* now = nullptr;
    };
    Tick now = 0;
    std::vector<std::unique_ptr<Item>> items;
    for (int i = 0; i < 2000; ++i) {
        auto item = std::make_unique<Item>();
        item->now = &now;
        item->due = now + 1 + static_cast<Tick>(random() % 1500);
        wheel.insert(
            item->alarm, item->due,
            [](void* self) {
                auto* fired = static_cast<Item*>(self);
                fired->fired_at = *fired->now;
            },
            item.get());
        items.push_back(std::move(item));
        if (random() % 3 == 0) {
            now = std::max(now + 1, wheel.next(25));
            wheel.advance(now);
        }
    }
    while (wheel.size() > 0) {
        now = wheel.next(25);
        wheel.advance(now);
    }
    for (const auto& item : items) EXPECT_EQ(item->fired_at, item->due);
}

TEST(AlarmWheel, RoundsDeadlinesUp) {
    EXPECT_EQ(AlarmWheel::tick_of(Deadline(TimePoint(Loop::kSweep * 3))), 3);
    EXPECT_EQ(AlarmWheel::tick_of(Deadline(TimePoint(Loop::kSweep * 3 + Duration(1)))), 4);
}

}  // namespace
}  // namespace gantry
