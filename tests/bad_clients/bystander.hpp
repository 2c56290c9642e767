#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <string>
#include <thread>
#include <vector>

namespace gantry::testing {

/// A client that does nothing wrong while a test misbehaves: from its construction on it calls `demo_echo`, one small
/// call after the other, in a legacy session and over a connection of its own, and notes how long each took. The
/// session keeps it apart from what is counted per principal, which is the same for all local clients.
class Bystander {
public:
    /// Also forgets the process' peak of memory, so that what start-up took does not hide what the test takes.
    Bystander(int port, int pid);
    ~Bystander();
    Bystander(const Bystander&) = delete;
    Bystander& operator=(const Bystander&) = delete;

    /// Ends the calls and asserts that each was answered correctly and in time, and that the gateway's memory grew by
    /// less than `bytes` at its peak. Time and memory are not held against builds with a sanitizer.
    void expect_unharmed(std::size_t bytes);
    /// Calls made so far.
    int calls() const noexcept { return calls_; }

private:
    void call_on_and_on();
    void stop();

    int port_;
    int pid_;
    std::size_t before_ = 0;
    std::atomic<bool> stopping_ = false;
    std::atomic<int> calls_ = 0;
    // Written by the thread, read after it has ended.
    std::vector<std::chrono::microseconds> took_;
    std::string wrong_;  // the first answer that was not what was asked for
    std::thread thread_;
};

}  // namespace gantry::testing
