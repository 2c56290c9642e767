#include "app/process/shutdown_watchdog.hpp"

#include <unistd.h>

#include <algorithm>
#include <string_view>

namespace gantry::app {

ShutdownWatchdog::~ShutdownWatchdog() {
    if (!thread_.joinable()) return;
    {
        const std::lock_guard lock(mutex_);
        over_ = true;
    }
    changed_.notify_all();
    thread_.join();
}

void ShutdownWatchdog::arm(Duration limit) {
    {
        const std::lock_guard lock(mutex_);
        until_ = std::min(until_, SteadyClock::now() + limit);
    }
    if (!thread_.joinable()) thread_ = std::thread([this] { wait(); });
    changed_.notify_all();
}

void ShutdownWatchdog::wait() {
    std::unique_lock lock(mutex_);
    while (!over_ && SteadyClock::now() < until_) changed_.wait_until(lock, until_);
    if (over_) return;
    constexpr std::string_view kWhy = "gantry: shutdown timed out; exiting by force\n";
    [[maybe_unused]] const auto told = ::write(STDERR_FILENO, kWhy.data(), kWhy.size());
    ::_exit(exit_code_);
}

}  // namespace gantry::app
