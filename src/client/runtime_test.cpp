#include "client/runtime.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <coroutine>
#include <future>
#include <thread>
#include <vector>

namespace {

using namespace gantry;

Task<Result<int>> answer(Context, int value) {
    co_return value;
}

Task<Result<int>> until_cancelled(Context ctx) {
    Event never;
    auto waited = co_await never.wait(ctx);
    co_return fail(waited.error());
}

/// A coroutine type unknown to Gantry.
struct Foreign {
    struct promise_type {
        Foreign get_return_object() { return {}; }
        std::suspend_never initial_suspend() { return {}; }
        std::suspend_never final_suspend() noexcept { return {}; }
        void return_void() {}
        void unhandled_exception() { std::terminate(); }
    };
};

Foreign await_into(Runtime& runtime, std::promise<int>& result) {
    auto pending = runtime.start<int>([](Context ctx) { return answer(ctx, 7); });
    auto awaited = co_await pending;
    result.set_value(*awaited);
}

TEST(Pending, CanBeAwaitedFromAnyCoroutineType) {
    std::promise<int> result;
    await_into(Runtime::shared(), result);
    EXPECT_EQ(result.get_future().get(), 7);
}

TEST(Pending, ManyThreadsMayWaitForTheirOwn) {
    Runtime& runtime = Runtime::shared();
    std::atomic<int> sum = 0;
    {
        std::vector<std::jthread> threads;
        for (int i = 1; i <= 16; ++i) {
            threads.emplace_back(
                [&runtime, &sum, i] { sum += *runtime.start<int>([i](Context ctx) { return answer(ctx, i); }).get(); });
        }
    }
    EXPECT_EQ(sum, 136);
}

TEST(Pending, CancelEndsTheOperation) {
    auto pending = Runtime::shared().start<int>([](Context ctx) { return until_cancelled(ctx); });
    pending.cancel();
    auto result = pending.get();
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code(), ErrorCode::kCancelled);
}

TEST(Pending, DroppingItCancelsTheOperation) {
    auto stopped = std::make_shared<std::promise<ErrorCode>>();
    {
        auto dropped = Runtime::shared().start<int>([stopped](Context ctx) -> Task<Result<int>> {
            struct Note {
                static Task<Result<int>> run(Context inner, std::shared_ptr<std::promise<ErrorCode>> told) {
                    auto result = co_await until_cancelled(inner);
                    told->set_value(result.error().code());
                    co_return result;
                }
            };
            return Note::run(ctx, stopped);
        });
    }
    EXPECT_EQ(stopped->get_future().get(), ErrorCode::kCancelled);
}

TEST(Runtime, AFunctionThatBlocksDoesNotHoldTheLoop) {
    Runtime& runtime = Runtime::shared();
    std::promise<void> release;
    auto blocked = runtime.start<int>([&runtime, &release](Context ctx) {
        return runtime.offload<int>(ctx, [&release]() -> Result<int> {
            release.get_future().wait();
            return 1;
        });
    });
    EXPECT_EQ(*runtime.start<int>([](Context ctx) { return answer(ctx, 2); }).get(), 2);
    release.set_value();
    EXPECT_EQ(*blocked.get(), 1);
}

}  // namespace
