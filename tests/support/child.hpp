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

/// A process of a test's own: a server to talk to, or a program whose output counts. Has its own process group,
/// and the whole group is killed when the object goes, however the test ended.
class Child {
public:
    struct Options {
        std::vector<std::string> command;                      // the program with its path, then its arguments
        std::vector<std::pair<std::string, std::string>> env;  // on top of ours
    };
    /// Fails the test and is not running() when the program cannot be started.
    explicit Child(Options options);
    ~Child();
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;

    bool running() const noexcept { return pid_ > 0; }
    int pid() const noexcept { return pid_; }

    /// Reads until stdout or stderr holds `text`; false when the program ended or the time passed first.
    bool wait_for_output(std::string_view text, std::chrono::seconds limit = std::chrono::seconds(60));
    /// Reads everything and waits for the end. Empty when the time passed first (the program is then killed).
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

/// A port nobody listens on at the moment.
int free_port();
/// Tries to connect until somebody listens there.
bool wait_for_port(int port, std::chrono::seconds limit = std::chrono::seconds(60));

/// An empty directory that goes with the object.
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
/// The most memory this process ever used, in bytes.
std::size_t peak_memory();
/// Processes with `marker` in their command line, arguments joined by spaces; zombies not counted.
std::vector<int> processes_with(std::string_view marker);
/// Waits until the condition holds, looking again and again.
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

/// Ends the whole program with a message when it lives longer than `limit`: a test that hangs must not hang the run.
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
