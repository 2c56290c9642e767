#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <sstream>
#include <thread>

#include "support/child.hpp"

namespace gantry::testing {

namespace fs = std::filesystem;

TempDir::TempDir() {
    std::string name = (fs::temp_directory_path() / "gantry-test-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) {
        ADD_FAILURE() << "no temporary directory";
        return;
    }
    path_ = name;
}

TempDir::~TempDir() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
}

std::size_t open_descriptors() {
    const fs::directory_iterator entries("/proc/self/fd");
    return static_cast<std::size_t>(std::distance(begin(entries), end(entries))) - 1;  // not the reader's own
}

std::size_t peak_memory() {
    std::ifstream status("/proc/self/status");
    std::string word;
    while (status >> word) {
        std::size_t kilobytes = 0;
        if (word == "VmHWM:" && status >> kilobytes) return kilobytes * 1024;
    }
    return 0;
}

std::vector<int> processes_with(std::string_view marker) {
    std::vector<int> found;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator("/proc", ignored)) {
        const std::string name = entry.path().filename();
        int pid = 0;
        if (std::from_chars(name.data(), name.data() + name.size(), pid).ec != std::errc() || pid == getpid()) continue;
        std::ifstream file(entry.path() / "cmdline");  // empty for a zombie
        std::ostringstream read;
        read << file.rdbuf();  // unlike iterators, tolerates a process that ends meanwhile
        std::string line = read.str();
        std::ranges::replace(line, '\0', ' ');  // the separator of arguments
        if (line.find(marker) != std::string::npos) found.push_back(pid);
    }
    return found;
}

struct Watchdog::State {
    std::mutex mutex;
    std::condition_variable done;
    bool over = false;
    std::thread thread;
};

Watchdog::Watchdog(std::string what, std::chrono::milliseconds limit) : state_(new State) {
    state_->thread = std::thread([state = state_, what = std::move(what), limit] {
        std::unique_lock lock(state->mutex);
        if (state->done.wait_for(lock, limit, [state] { return state->over; })) return;
        std::fprintf(stderr, "%s did not end within %lld ms\n", what.c_str(), static_cast<long long>(limit.count()));
        std::abort();
    });
}

Watchdog::~Watchdog() {
    {
        const std::lock_guard lock(state_->mutex);
        state_->over = true;
    }
    state_->done.notify_all();
    state_->thread.join();
    delete state_;
}

}  // namespace gantry::testing
