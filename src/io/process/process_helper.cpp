// Helpers started by the tests of this folder: small programs that behave in ways no shell script does
// reliably, and a host that runs its own child and can be killed.

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include "io/loop.hpp"
#include "io/process/process.hpp"

namespace {

using namespace gantry;

int until_end_of_input() {
    char buffer[4096];
    while (read(0, buffer, sizeof buffer) > 0) {}
    return 0;
}

/// Every descriptor this process was started with, in one line.
int list_descriptors() {
    DIR* folder = opendir("/proc/self/fd");
    std::string text;
    while (const dirent* entry = readdir(folder)) {
        const int fd = std::atoi(entry->d_name);
        if (entry->d_name[0] != '.' && fd != dirfd(folder)) text += std::to_string(fd) + ' ';
    }
    closedir(folder);
    std::puts(text.c_str());
    return 0;
}

int flood_stderr(std::size_t bytes) {
    const std::string line = std::string(997, 'x') + "\n";
    for (std::size_t written = 0; written < bytes; written += line.size())
        if (write(2, line.data(), line.size()) < 0) return 1;
    return 0;
}

int ignore_everything() {
    signal(SIGTERM, SIG_IGN);
    std::puts("ready");
    std::fflush(stdout);
    for (;;) pause();
}

/// Leaves a grandchild in another session that ignores SIGTERM and the like and holds `fifo` open: its
/// reader sees the end exactly when the grandchild is dead.
void leave_grandchild(const char* fifo) {
    const int fd = open(fifo, O_WRONLY);
    int ready[2];
    if (fd < 0 || pipe(ready) != 0) std::abort();
    if (fork() == 0) {
        setsid();
        if (fork() == 0) {
            setsid();
            for (const int ignored : {SIGTERM, SIGHUP, SIGINT}) signal(ignored, SIG_IGN);
            for (int standard = 0; standard <= 2; ++standard) close(standard);
            if (write(fd, "r", 1) != 1) _exit(1);
            close(ready[0]);
            close(ready[1]);
            for (;;) pause();
        }
        _exit(0);
    }
    close(fd);
    close(ready[1]);
    char byte;
    while (read(ready[0], &byte, 1) > 0) {}
    close(ready[0]);
    wait(nullptr);
}

/// A tree of 13 processes: three children and nine grandchildren, every second one in its own session. Each writes to
/// `fifo` once it runs and holds it open until it ends.
int grow_tree(const char* fifo) {
    const int fd = open(fifo, O_WRONLY);
    if (fd < 0) return 1;
    for (int child = 0; child < 3; ++child) {
        if (fork() != 0) continue;
        if (child % 2 == 0) setsid();
        for (int grandchild = 0; grandchild < 3; ++grandchild) {
            if (fork() != 0) continue;
            if (grandchild % 2 == 0) setsid();
            break;
        }
        for (const int ignored : {SIGTERM, SIGHUP, SIGINT}) signal(ignored, SIG_IGN);
        for (int standard = 0; standard <= 2; ++standard) close(standard);
        if (write(fd, "r", 1) != 1) _exit(1);
        for (;;) pause();
    }
    if (write(fd, "r", 1) != 1) return 1;
    return until_end_of_input();
}

Task<void> run_child(std::string self, std::string fifo) {
    process::Command command;
    command.program = std::move(self);
    command.args = {"family", std::move(fifo)};
    auto started = co_await process::Process::start(Context::background(), std::move(command));
    if (!started) std::abort();
    (void)co_await (*started)->wait(Context::background());
}

int host(const char* self, const char* fifo) {
    Loop loop;
    loop.run_until_done(run_child(self, fifo));
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    const std::string_view mode = argc > 1 ? argv[1] : "";
    const char* argument = argc > 2 ? argv[2] : "";
    if (mode == "descriptors") return list_descriptors();
    if (mode == "flood") return flood_stderr(std::strtoul(argument, nullptr, 10));
    if (mode == "stubborn") return ignore_everything();
    if (mode == "family") {
        leave_grandchild(argument);
        return until_end_of_input();
    }
    if (mode == "family-exit") {
        leave_grandchild(argument);
        return 7;
    }
    if (mode == "tree") return grow_tree(argument);
    if (mode == "host") return host(argv[0], argument);
    return 2;
}
