#include "io/worker.hpp"

#include <sys/resource.h>
#include <unistd.h>

namespace gantry {

namespace {

/// A tenth of the weight of the other threads, whatever niceness the process was started with.
constexpr int kNicer = 10;

/// On Linux niceness belongs to a thread.
void give_way() {
    const auto self = static_cast<id_t>(::gettid());
    static_cast<void>(::setpriority(PRIO_PROCESS, self, ::getpriority(PRIO_PROCESS, self) + kNicer));  // best effort
}

}  // namespace

Worker::Worker(Priority priority)
    : thread_([this, priority] {
          if (priority == Priority::kLow) give_way();
          serve();
      }) {}

Worker::~Worker() {
    {
        const std::lock_guard guard(mutex_);
        stopping_ = true;
    }
    changed_.notify_all();
    thread_.join();
}

void Worker::post(std::move_only_function<void()> job) {
    {
        const std::lock_guard guard(mutex_);
        jobs_.push_back(std::move(job));
    }
    changed_.notify_one();
}

void Worker::serve() {
    std::unique_lock lock(mutex_);
    for (;;) {
        changed_.wait(lock, [this] { return stopping_ || !jobs_.empty(); });
        if (stopping_) return;
        auto job = std::move(jobs_.front());
        jobs_.pop_front();
        lock.unlock();
        job();
        job = nullptr;
        lock.lock();
    }
}

}  // namespace gantry
