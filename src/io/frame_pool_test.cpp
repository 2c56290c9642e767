#include "io/frame_pool.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <set>
#include <thread>
#include <vector>

namespace gantry {
namespace {

constexpr std::size_t kSizes[] = {1, 1024, 1025, 1280, 1281, 2000, 4096, 4097, 100'000};

TEST(FramePool, GivesEveryTakerMemoryOfItsOwn) {
    FramePool pool;
    const FramePool::Use use(&pool);
    for (int round = 0; round < 3; ++round) {
        std::vector<std::pair<unsigned char*, std::size_t>> frames;
        std::set<void*> places;
        for (int i = 0; i < 200; ++i) {  // more than the pool keeps
            for (const std::size_t size : kSizes) {
                auto* frame = static_cast<unsigned char*>(FramePool::take(size));
                std::memset(frame, i, size);
                EXPECT_TRUE(places.insert(frame).second);
                frames.emplace_back(frame, i);
                EXPECT_EQ(frame[size - 1], i);
            }
        }
        std::size_t at = 0;
        for (const auto& [frame, i] : frames) {
            EXPECT_EQ(frame[0], i);
            FramePool::give(frame, kSizes[at++ % std::size(kSizes)]);
        }
    }
}

TEST(FramePool, TakesBackWhatAnotherThreadOrNobodyServed) {
    FramePool pool;
    void* before = FramePool::take(2000);
    void* elsewhere = nullptr;
    std::thread([&elsewhere] { elsewhere = FramePool::take(2000); }).join();
    void* own = nullptr;
    {
        const FramePool::Use use(&pool);
        FramePool::give(before, 2000);
        FramePool::give(elsewhere, 2000);
        own = FramePool::take(2000);
    }
    FramePool::give(own, 2000);
}

}  // namespace
}  // namespace gantry
