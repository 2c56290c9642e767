#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>

#include "base/clock.hpp"

namespace gantry::app {

/// Watchdog that ends the process if it has not ended by itself in time, wherever it hangs: an unresponsive file system
/// can block the loop, but not this. Its child processes die with it (io/process).
class ShutdownWatchdog {
public:
    explicit ShutdownWatchdog(int exit_code) noexcept : exit_code_(exit_code) {}
    /// Disarms it.
    ~ShutdownWatchdog();
    ShutdownWatchdog(const ShutdownWatchdog&) = delete;
    ShutdownWatchdog& operator=(const ShutdownWatchdog&) = delete;

    /// Starts the countdown; if it is already running, the earlier deadline applies.
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
