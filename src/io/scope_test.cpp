#include "io/scope.hpp"

#include <gtest/gtest.h>

#include <string>

#include "io/loop.hpp"
#include "io/sync.hpp"

namespace gantry {
namespace {

Task<void> note_twice(std::string* notes, char name) {
    *notes += name;
    co_await yield_now();
    *notes += name;
}

Task<void> starts_later_and_joins() {
    std::string notes;
    Scope scope(Context::background());
    scope.spawn(note_twice(&notes, 'a'));
    scope.spawn(note_twice(&notes, 'b'));
    EXPECT_EQ(notes, "") << "children start on the next turn";
    EXPECT_EQ(scope.running(), 2u);
    co_await scope.join();
    EXPECT_EQ(notes, "abab");
    EXPECT_EQ(scope.running(), 0u);
    co_await scope.join();
}

TEST(Scope, StartsChildrenLaterAndJoinWaitsForAll) {
    Loop loop;
    loop.run_until_done(starts_later_and_joins());
}

Task<void> spawns_more(Scope* scope, std::string* notes, int depth) {
    co_await yield_now();
    if (depth > 0) scope->spawn(spawns_more(scope, notes, depth - 1));
    *notes += static_cast<char>('0' + depth);
}

Task<void> joins_grandchildren() {
    std::string notes;
    Scope scope(Context::background());
    scope.spawn(spawns_more(&scope, &notes, 3));
    co_await scope.join();
    EXPECT_EQ(notes, "3210");
}

TEST(Scope, JoinAlsoWaitsForChildrenSpawnedMeanwhile) {
    Loop loop;
    loop.run_until_done(joins_grandchildren());
}

Task<void> sleep_forever(Context ctx, ErrorCode* code) {
    auto slept = co_await sleep_for(ctx, seconds(3600));
    *code = slept ? ErrorCode::kInternal : slept.error().code();
}

Task<void> cancel_reaches_children(bool through_parent) {
    CancelSource parent;
    ErrorCode code = ErrorCode::kInternal;
    Scope scope(Context().stopped_by(parent));
    scope.spawn(sleep_forever(scope.context(), &code));
    co_await yield_now();
    co_await yield_now();
    if (through_parent) {
        parent.cancel();
    } else {
        scope.cancel();
    }
    co_await scope.join();
    EXPECT_EQ(code, ErrorCode::kCancelled);
    EXPECT_EQ(parent.cancelled(), through_parent);
}

TEST(Scope, CancelReachesChildrenButNotTheParent) {
    Loop loop;
    loop.run_until_done(cancel_reaches_children(false));
}

TEST(Scope, ChildrenStopWhenTheParentStops) {
    Loop loop;
    loop.run_until_done(cancel_reaches_children(true));
}

Task<void> deadline_reaches_children() {
    ErrorCode code = ErrorCode::kInternal;
    Scope scope(Context().within(milliseconds(1)));
    scope.spawn(sleep_forever(scope.context(), &code));
    co_await scope.join();
    EXPECT_EQ(code, ErrorCode::kTimeout);
}

TEST(Scope, ChildrenSeeTheParentsDeadline) {
    Loop loop;
    loop.run_until_done(deadline_reaches_children());
}

Task<void> left_without_join() {
    Event never;
    Scope scope(Context::background());
    scope.spawn(sleep_forever(scope.context(), nullptr));
    co_await yield_now();
}

TEST(ScopeDeathTest, EndsTheProcessWhenLeftBeforeJoin) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_DEATH(
        {
            Loop loop;
            loop.run_until_done(left_without_join());
        },
        "join");
}

Task<void> escapes() {
    co_await yield_now();
    throw 1;
}

Task<void> hosts_escaping_child() {
    Scope scope(Context::background());
    scope.spawn(escapes());
    co_await scope.join();
}

TEST(ScopeDeathTest, EndsTheProcessWhenAChildThrows) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_DEATH(
        {
            Loop loop;
            loop.run_until_done(hosts_escaping_child());
        },
        "");
}

Task<void> mutex_worker(Context ctx, AsyncMutex* mutex, std::string* notes, char name) {
    auto guard = co_await mutex->lock(ctx);
    if (!guard) {
        *notes += '!';
        co_return;
    }
    *notes += name;
    co_await yield_now();
    *notes += name;
}

Task<void> mutex_case() {
    AsyncMutex mutex;
    std::string notes;
    Scope scope(Context::background());
    CancelSource impatient;
    scope.spawn(mutex_worker(scope.context(), &mutex, &notes, 'a'));
    scope.spawn(mutex_worker(scope.context().stopped_by(impatient), &mutex, &notes, 'x'));
    scope.spawn(mutex_worker(scope.context(), &mutex, &notes, 'b'));
    scope.spawn(mutex_worker(scope.context(), &mutex, &notes, 'c'));
    co_await yield_now();
    impatient.cancel();
    co_await scope.join();
    EXPECT_EQ(std::erase(notes, '!'), 1u);
    EXPECT_EQ(notes, "aabbcc");
}

TEST(AsyncMutex, IsHeldByOneInOrderAndSkipsWhoGaveUp) {
    Loop loop;
    loop.run_until_done(mutex_case());
}

Task<void> produce(Context ctx, Queue<int>* queue, int count) {
    for (int i = 0; i < count; ++i) {
        EXPECT_TRUE(co_await queue->push(ctx, i));
        EXPECT_LE(queue->size(), 2u);
    }
    queue->close();
}

Task<void> queue_case() {
    Queue<int> queue(2);
    Scope scope(Context::background());
    scope.spawn(produce(scope.context(), &queue, 20));
    int expected = 0;
    for (;;) {
        auto item = co_await queue.pop(Context::background());
        EXPECT_TRUE(item);
        if (!item || !*item) break;
        EXPECT_EQ(**item, expected++);
    }
    EXPECT_EQ(expected, 20) << "closing keeps what is in the queue";
    co_await scope.join();
    EXPECT_EQ((co_await queue.push(Context::background(), 1)).error().code(), ErrorCode::kCancelled);
}

TEST(Queue, HoldsBackTheProducerAndDrainsAfterClose) {
    Loop loop;
    loop.run_until_done(queue_case());
}

}  // namespace
}  // namespace gantry
