#pragma once

#include <dirent.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/fd.hpp"
#include "io/loop.hpp"
#include "io/process/process.hpp"
#include "support/paths.hpp"

namespace gantry::process {

/// The program of process_helper.cpp.
inline const std::string kHelper = gantry::test_support::built_path("tests/gantry_process_helper");

inline Command command(std::string program, std::vector<std::string> args = {}) {
    Command result;
    result.program = std::move(program);
    result.args = std::move(args);
    result.env = default_environment();
    return result;
}
inline Command shell(std::string script) {
    return command("sh", {"-c", std::move(script)});
}

/// Generous timeout; it only turns a hang into a failure.
inline Context watchdog() {
    return Context::background().within(seconds(60));
}

inline Task<std::string> read_to_end(Stream& stream) {
    std::string text;
    char buffer[65536];
    for (;;) {
        auto size = co_await stream.read_some(watchdog(), buffer);
        EXPECT_TRUE(size) << (size ? "" : size.error().to_string());
        if (!size || *size == 0) co_return text;
        text.append(buffer, *size);
    }
}

/// Starts a command and expects success.
inline Task<std::unique_ptr<Process>> started(Command what) {
    auto process = co_await Process::start(watchdog(), std::move(what));
    EXPECT_TRUE(process) << (process ? "" : process.error().to_string());
    co_return process ? std::move(*process) : nullptr;
}

/// The output of a command until it exits by itself.
inline Task<std::string> output_of(Command what) {
    auto process = co_await started(std::move(what));
    if (!process) co_return "";
    std::string text = co_await read_to_end(process->stdio());
    (void)co_await process->wait(watchdog());
    co_return text;
}

inline std::size_t open_descriptors() {
    std::size_t count = 0;
    DIR* folder = opendir("/proc/self/fd");
    while (readdir(folder)) ++count;
    closedir(folder);
    return count;
}

inline bool have_children() {
    siginfo_t info{};
    return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0;
}

/// A named pipe whose end of file proves that every process holding it is dead.
class LifeLine {
public:
    LifeLine() {
        char name[] = "/tmp/gantry-process-XXXXXX";
        folder_ = mkdtemp(name);
        path_ = folder_ + "/line";
        mkfifo(path_.c_str(), 0600);
        fd_ = Fd(open(path_.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    }
    ~LifeLine() {
        fd_.reset();
        std::filesystem::remove_all(folder_);
    }
    LifeLine(const LifeLine&) = delete;
    LifeLine& operator=(const LifeLine&) = delete;

    const std::string& path() const { return path_; }
    /// Blocks the thread, which the reaper does not need.
    bool holder_is_ready() { return next() == 'r'; }
    bool holder_is_dead() { return next() == 0; }

private:
    int next() {
        pollfd ready{fd_.get(), POLLIN, 0};
        if (poll(&ready, 1, 60'000) != 1) return -1;
        char byte = 0;
        return read(fd_.get(), &byte, 1) == 1 ? byte : 0;
    }

    std::string folder_, path_;
    Fd fd_;
};

}  // namespace gantry::process
