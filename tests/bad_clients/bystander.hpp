#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <string>
#include <thread>
#include <vector>

namespace gantry::testing {

/// A well-behaved client that runs while a test misbehaves: from its construction on it calls `demo_echo`, one small
/// call after the other, in a legacy session on a connection of its own, and measures each. The session keeps it apart
/// from limits per principal, which all local clients share.
class Bystander {
public:
    /// Also resets the process' memory peak, so that the start-up's peak does not hide the test's.
    Bystander(int port, int pid);
    ~Bystander();
    Bystander(const Bystander&) = delete;
    Bystander& operator=(const Bystander&) = delete;

    /// Ends the calls and asserts that each was answered correctly and in time, and that the gateway's peak memory grew
    /// by less than `bytes`. Sanitizer builds are exempt from the bounds on time and memory.
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
    std::string wrong_;  // the first unexpected answer
    std::thread thread_;
};

}  // namespace gantry::testing
