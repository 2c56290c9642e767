#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <vector>

#include "io/fd.hpp"

namespace gantry {

/// Lets other threads post to a loop. May outlive the loop: later posts are dropped.
class Mailbox {
public:
    using Function = std::move_only_function<void()>;

    Mailbox();

    /// Any thread. False: the loop is gone.
    bool post(Function function);
    /// Wakes the loop. Any thread.
    void ring() noexcept;

    /// The following are for the loop's own thread.
    bool has_mail() const noexcept { return has_mail_.load(std::memory_order_acquire); }
    std::vector<Function> take();
    void close();
    int bell() const noexcept { return bell_.get(); }

private:
    std::mutex mutex_;
    std::vector<Function> letters_;
    bool closed_ = false;
    std::atomic<bool> has_mail_ = false;
    Fd bell_;
};

}  // namespace gantry
