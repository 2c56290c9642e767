#include "mcp/client/era_cache.hpp"

#include <gtest/gtest.h>

#include <string>

namespace gantry::mcp {
namespace {

using namespace std::chrono_literals;

struct Time {
    EraCache::Clock::time_point now{std::chrono::seconds(1'800'000'000)};
    EraCache::Now read() {
        return [this] { return now; };
    }
};

TEST(EraCache, AVerdictPassesToAnotherProcessWithItsDate) {
    Time time;
    EraCache first(time.read());
    first.remember("a", Revision::k2025_06_18);
    first.remember("b", Revision::k2026_07_28);
    EXPECT_TRUE(first.changed());

    time.now += 23h;
    EraCache second(time.read());
    second.merge(first.text());
    EXPECT_EQ(second.find("a"), Revision::k2025_06_18);
    EXPECT_EQ(second.find("b"), Revision::k2026_07_28);
    EXPECT_FALSE(second.changed()) << "what others know need not be written again";
    time.now += 1h;
    EXPECT_EQ(second.find("a"), std::nullopt) << "a day counts from the probe, not from the reading";
}

TEST(EraCache, TheNewerVerdictWins) {
    Time time;
    EraCache old(time.read());
    old.remember("a", Revision::k2025_06_18);
    time.now += 2h;
    EraCache young(time.read());
    young.remember("a", Revision::k2026_07_28);
    const std::string before = old.text();
    old.merge(young.text());
    EXPECT_EQ(old.find("a"), Revision::k2026_07_28);
    young.merge(before);
    EXPECT_EQ(young.find("a"), Revision::k2026_07_28);
}

TEST(EraCache, AWrongVerdictIsForgottenForOthersToo) {
    Time time;
    EraCache file(time.read());
    file.remember("a", Revision::k2025_06_18);
    EraCache mine(time.read());
    mine.merge(file.text());
    mine.forget("a");
    EXPECT_TRUE(mine.changed());
    mine.merge(file.text());
    EXPECT_EQ(mine.find("a"), std::nullopt);
    file.merge(mine);
    EXPECT_EQ(file.find("a"), std::nullopt);
}

TEST(EraCache, WhatCannotBeReadIsIgnored) {
    Time time;
    EraCache cache(time.read());
    for (const char* text :
         {"", "{", "[]", R"({"version":2,"servers":{"a":{"revision":"2025-06-18","at":1800000000}}})",
          R"({"version":1,"servers":[]})", R"({"version":1,"servers":{"a":17}})",
          R"({"version":1,"servers":{"a":{"revision":"1999-01-01","at":1800000000}}})",
          R"({"version":1,"servers":{"a":{"revision":"2025-06-18","at":"now"}}})",
          R"({"version":1,"servers":{"a":{"revision":"2025-06-18","at":99999999999999999}}})",
          R"({"version":1,"servers":{"a":{"revision":"2025-06-18","at":1800000001}}})"}) {
        cache.merge(text);
        EXPECT_EQ(cache.find("a"), std::nullopt) << text;
    }
    cache.merge(R"({"version":1,"servers":{"b":null,"a":{"revision":"2025-06-18","at":1800000000}}})");
    EXPECT_EQ(cache.find("a"), Revision::k2025_06_18) << "one bad entry does not spoil the others";
}

TEST(EraCache, TheOldestMakesRoom) {
    Time time;
    EraCache cache(time.read());
    cache.remember("oldest", Revision::k2025_06_18);
    time.now += 1s;
    for (std::size_t i = 0; i < EraCache::kMaxKept; ++i) cache.remember(std::to_string(i), Revision::k2025_06_18);
    EXPECT_EQ(cache.find("oldest"), std::nullopt);
    EXPECT_EQ(cache.find("0"), Revision::k2025_06_18);
}

TEST(EraCache, AVerdictConfirmedSoonIsNotWrittenAgain) {
    Time time;
    EraCache cache(time.read());
    cache.remember("a", Revision::k2026_07_28);
    cache.written();
    time.now += 59min;
    cache.remember("a", Revision::k2026_07_28);
    EXPECT_FALSE(cache.changed());
    time.now += 2min;
    cache.remember("a", Revision::k2026_07_28);
    EXPECT_TRUE(cache.changed());
}

}  // namespace
}  // namespace gantry::mcp
