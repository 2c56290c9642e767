#include "gateway/events/ring.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <thread>

namespace gantry::gateway::events {
namespace {

bool push(Ring& ring, std::string_view text) {
    char* place = ring.claim(text.size());
    if (place == nullptr) return false;
    std::memcpy(place, text.data(), text.size());
    ring.publish();
    return true;
}

TEST(Ring, GivesFramesInOrderAndEachOnce) {
    Ring ring(4096);
    EXPECT_TRUE(ring.empty());
    EXPECT_TRUE(push(ring, "one"));
    EXPECT_TRUE(push(ring, ""));
    EXPECT_TRUE(push(ring, "three"));
    EXPECT_EQ(ring.take(), "one");
    EXPECT_EQ(ring.take(), "");
    EXPECT_EQ(ring.take(), "three");
    EXPECT_EQ(ring.take(), std::nullopt);
}

TEST(Ring, WhatWasTakenComesAgainUnlessItWasReleased) {
    Ring ring(4096);
    push(ring, "a");
    push(ring, "b");
    ring.take();
    ring.release();
    EXPECT_EQ(ring.take(), "b");
    ring.rewind();
    EXPECT_EQ(ring.take(), "b");
}

TEST(Ring, IsFullUntilSomethingIsReleased) {
    Ring ring(4096);
    const std::string frame(500, 'x');
    int held = 0;
    while (push(ring, frame)) ++held;
    EXPECT_GE(held, 7);
    EXPECT_EQ(ring.take(), frame);
    EXPECT_FALSE(push(ring, frame)) << "taken is not released";
    ring.release();
    EXPECT_TRUE(push(ring, frame));
    for (int i = 0; i < held; ++i) EXPECT_EQ(ring.take(), frame);
    EXPECT_TRUE(ring.empty());
}

TEST(Ring, RefusesAFrameThatCouldNeverFit) {
    Ring ring(4096);
    EXPECT_EQ(ring.claim(ring.largest() + 1), nullptr);
    EXPECT_NE(ring.claim(ring.largest()), nullptr);
}

TEST(Ring, AnotherThreadSeesEveryFrameWholeAndInOrder) {
    constexpr int kFrames = 200'000;
    Ring ring(1 << 14);
    std::jthread pushing([&ring] {
        for (int i = 0; i < kFrames;) {
            // Varying lengths, so that frames end at every offset.
            if (push(ring, std::to_string(i) + std::string(static_cast<std::size_t>(i % 97), '.'))) {
                ++i;
            } else {
                std::this_thread::yield();
            }
        }
    });
    for (int i = 0; i < kFrames;) {
        const auto frame = ring.take();
        if (!frame) {
            std::this_thread::yield();
            continue;
        }
        ASSERT_EQ(*frame, std::to_string(i) + std::string(static_cast<std::size_t>(i % 97), '.'));
        if (++i % 7 == 0) ring.release();
    }
}

}  // namespace
}  // namespace gantry::gateway::events
