#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>

#include "base/clock.hpp"

namespace gantry::app {

/// Ends the process if it has not ended by itself in time, whatever it hangs in: a file system that does not answer
/// keeps the loop, not this. Servers it started die with it (io/process).
class LastResort {
public:
    explicit LastResort(int exit_code) noexcept : exit_code_(exit_code) {}
    /// Nothing happens any more.
    ~LastResort();
    LastResort(const LastResort&) = delete;
    LastResort& operator=(const LastResort&) = delete;

    /// From now on; where it was armed before, the earlier end counts.
    void arm(Duration limit);

private:
    void wait();

    const int exit_code_;
    std::mutex mutex_;
    std::condition_variable changed_;
    TimePoint until_ = TimePoint::max();
    bool over_ = false;
    std::thread thread_;
};

}  // namespace gantry::app
