#include "io/worker.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include "io/loop.hpp"

namespace gantry {
namespace {

Result<int> niceness() {
    return ::getpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()));
}

Task<void> ask(Worker& worker, Result<int>& answer) {
    answer = co_await worker.run<int>(Context::background(), niceness);
}

int niceness_of(Worker::Priority priority) {
    Loop loop;
    Worker worker(priority);
    Result<int> answer = -1;
    loop.run_until_done(ask(worker, answer));
    return answer.value_or(-1);
}

TEST(WorkerTest, OnlyAThreadOfLowPriorityGivesWay) {
    const int ours = *niceness();
    EXPECT_EQ(niceness_of(Worker::Priority::kNormal), ours);
    EXPECT_GT(niceness_of(Worker::Priority::kLow), ours);
    EXPECT_EQ(*niceness(), ours) << "the loop's own thread stays as it is";
}

}  // namespace
}  // namespace gantry
