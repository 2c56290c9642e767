#pragma once

#include <chrono>
#include <cstddef>
#include <ctime>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gantry::testing {

using Clock = std::chrono::steady_clock;

/// A child process of a test: a server to talk to, or a program whose output is checked. It has its own process group,
/// and the whole group is killed with the object, however the test ends.
class Child {
public:
    struct Options {
        std::vector<std::string> command;                      // the program with its path, then its arguments
        std::vector<std::pair<std::string, std::string>> env;  // added to our own
    };
    /// Fails the test and is not running() when the program cannot be started.
    explicit Child(Options options);
    ~Child();
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;

    bool running() const noexcept { return pid_ > 0; }
    int pid() const noexcept { return pid_; }

    /// Reads until stdout or stderr contains `text`; false when the program ends or the time is up first.
    bool wait_for_output(std::string_view text, std::chrono::seconds limit = std::chrono::seconds(60));
    /// Reads everything and waits for the exit. Empty when the time is up first (the program is then killed).
    std::optional<int> wait(std::chrono::seconds limit = std::chrono::seconds(60));

    const std::string& out() const noexcept { return out_; }
    const std::string& err() const noexcept { return err_; }

private:
    bool pump(Clock::time_point until);
    void kill_group();

    int pid_ = -1;
    int out_fd_ = -1;
    int err_fd_ = -1;
    std::string out_;
    std::string err_;
};

/// A port that is currently free.
int free_port();
/// Tries to connect until something listens there.
bool wait_for_port(int port, std::chrono::seconds limit = std::chrono::seconds(60));

/// An empty directory that is removed with the object.
class TempDir {
public:
    TempDir();
    ~TempDir();
    TempDir(const TempDir&) = delete;
    TempDir& operator=(const TempDir&) = delete;
    const std::string& path() const noexcept { return path_; }

private:
    std::string path_;
};

/// Open descriptors of this process.
std::size_t open_descriptors();
/// The peak memory of this process, in bytes.
std::size_t peak_memory();
/// Processes with `marker` in their command line, arguments joined by spaces; without zombies.
std::vector<int> processes_with(std::string_view marker);
/// Polls until the condition holds.
template <class Condition>
bool eventually(Condition condition, std::chrono::seconds limit = std::chrono::seconds(60)) {
    const auto end = Clock::now() + limit;
    while (!condition()) {
        if (Clock::now() >= end) return false;
        const timespec pause{0, 20'000'000};
        nanosleep(&pause, nullptr);
    }
    return true;
}

/// Ends the whole program with a message if it lives longer than `limit`: a hanging test must not hang the run.
class Watchdog {
public:
    Watchdog(std::string what, std::chrono::milliseconds limit);
    ~Watchdog();
    Watchdog(const Watchdog&) = delete;
    Watchdog& operator=(const Watchdog&) = delete;

private:
    struct State;
    State* state_;
};

}  // namespace gantry::testing
