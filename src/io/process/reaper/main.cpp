// The process that stands between us and a child. It is started from an image inside the library,
// runs without a C library in a few pages of memory, and has one duty: when the child ends, when we
// end (however), or when told to, nothing of the child's family is left. See ../README.md.

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>

#include "io/process/reaper/descendants.hpp"
#include "io/process/reaper/protocol.hpp"
#include "io/process/reaper/system.hpp"

namespace gantry::process::reaper {
namespace {

constexpr long kSignalSetBytes = 8;
constexpr std::uint64_t kAllSignals = ~std::uint64_t{0};
constexpr std::uint64_t kChildSignal = std::uint64_t{1} << (SIGCHLD - 1);
// A descendant that cannot be killed (another user's, stuck in the kernel) is given up after this.
constexpr long kKillSeconds = 5;

struct State {
    bool namespaced = false;
    int self = 0;
    int child = 0;
    int status = 0;
    bool child_gone = false;
    bool nobody_left = false;
    int signals = -1;
    int guardian = kGuardian;
};

void report(Kind kind, Stage stage, int value) {
    const Report message{kind, stage, value};
    call(SYS_sendto, kControl, &message, sizeof message, MSG_NOSIGNAL, 0);
}

long now_ms() {
    timespec time{};
    call(SYS_clock_gettime, CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000 + time.tv_nsec / 1'000'000;
}

bool has(const char* letters, char letter) {
    while (*letters && *letters != letter) ++letters;
    return *letters != '\0';
}

std::size_t length(const char* text) {
    std::size_t size = 0;
    while (text[size]) ++size;
    return size;
}

void write_file(const char* path, const char* text) {
    const long fd = call(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CLOEXEC);
    if (fd < 0) return;
    call(SYS_write, fd, text, length(text));
    call(SYS_close, fd);
}

void close_from(unsigned first) {
    if (call(SYS_close_range, first, ~0u, 0) == 0) return;
    for (unsigned fd = first; fd < 65536; ++fd) call(SYS_close, fd);
}

void enter_namespaces(const char* mode, char** argv) {
    if (has(mode, kNewUser)) {
        write_file("/proc/self/setgroups", "deny");
        write_file("/proc/self/uid_map", argv[kUidMapArg]);
        write_file("/proc/self/gid_map", argv[kGidMapArg]);
    }
    // Where it is allowed /proc shows the pids the child knows; where not, the child sees ours.
    if (call(SYS_unshare, CLONE_NEWNS) != 0) return;
    call(SYS_mount, 0, "/", 0, MS_REC | MS_SLAVE, 0);
    call(SYS_mount, "proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, 0);
}

[[noreturn]] void become_child(char** argv, char** envp, int parent, int failures) {
    Report failure{Kind::kFailed, Stage::kSetUp, ESRCH};
    // The reaper has one thread and lives as long as the child, so unlike in the library this
    // signal comes exactly when it should: somebody killed the reaper itself.
    call(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    if (call(SYS_getppid) != parent) leave(127);
    call(SYS_setsid);
    report(Kind::kPid, Stage::kNone, 0);
    for (int signal = 1; signal <= 64; ++signal) {
        const std::uint64_t by_default[4] = {};  // the kernel's struct sigaction
        call(SYS_rt_sigaction, signal, by_default, 0, kSignalSetBytes);
    }
    long result = argv[kCwdArg][0] ? call(SYS_chdir, argv[kCwdArg]) : 0;
    if (result != 0) {
        failure.stage = Stage::kChdir;
    } else {
        const std::uint64_t none = 0;
        call(SYS_rt_sigprocmask, SIG_SETMASK, &none, 0, kSignalSetBytes);
        result = call(SYS_execve, argv[kProgramArg], argv + kFirstArg, envp);
        failure.stage = Stage::kExec;
    }
    failure.value = static_cast<std::int32_t>(-result);
    call(SYS_write, failures, &failure, sizeof failure);
    leave(127);
}

/// Starts the child and reports how that went.
bool start_child(State& state, char** argv, char** envp) {
    int failures[2];
    if (const long result = call(SYS_pipe2, failures, O_CLOEXEC); result != 0) {
        report(Kind::kFailed, Stage::kSetUp, static_cast<int>(-result));
        return false;
    }
    const long child = call(SYS_clone, SIGCHLD);
    if (child == 0) become_child(argv, envp, state.self, failures[1]);
    call(SYS_close, failures[1]);
    if (child < 0) {
        report(Kind::kFailed, Stage::kFork, static_cast<int>(-child));
        return false;
    }
    state.child = static_cast<int>(child);
    Report failure;
    long size;
    do size = call(SYS_read, failures[0], &failure, sizeof failure);
    while (size == -EINTR);
    call(SYS_close, failures[0]);
    if (size == sizeof failure) {
        report(Kind::kFailed, failure.stage, failure.value);
        return false;
    }
    report(Kind::kStarted, Stage::kNone, 0);
    return true;
}

/// Arguments and environment are the child's business; ps should not show them twice.
void forget(char** strings) {
    for (; *strings; ++strings)
        for (char* c = *strings; *c; ++c) *const_cast<volatile char*>(c) = '\0';
}

void collect(State& state) {
    for (;;) {
        int status = 0;
        const long pid = call(SYS_wait4, -1, &status, WNOHANG | __WALL, 0);
        if (pid == -EINTR) continue;
        if (pid <= 0) {
            state.nobody_left = pid < 0;
            return;
        }
        if (pid == state.child) {
            state.child_gone = true;
            state.status = status;
        }
    }
}

void drain_signals(const State& state) {
    char buffer[128 * 8];
    while (call(SYS_read, state.signals, buffer, sizeof buffer) > 0) {}
}

/// Kills until nobody is left. Whoever loses its parent becomes our child (subreaper), so nobody
/// gets away by forking twice, changing group or session.
void kill_family(State& state) {
    const long until = now_ms() + kKillSeconds * 1000;
    for (;;) {
        collect(state);
        if (state.nobody_left || now_ms() > until) return;
        if (state.namespaced) {
            call(SYS_kill, -1, SIGKILL);
        } else {
            if (!state.child_gone) call(SYS_kill, -state.child, SIGKILL);
            kill_descendants(state.self);
        }
        collect(state);
        if (state.nobody_left) return;
        pollfd ready{state.signals, POLLIN, 0};
        const timespec pause{0, 10'000'000};
        call(SYS_ppoll, &ready, 1, &pause, 0, kSignalSetBytes);
        drain_signals(state);
    }
}

/// Returns when there is a reason to end the family.
void watch(State& state) {
    pollfd watched[3] = {{kControl, POLLIN, 0}, {state.signals, POLLIN, 0}, {state.guardian, POLLIN, 0}};
    for (;;) {
        if (call(SYS_ppoll, watched, 3, 0, 0, kSignalSetBytes) < 0) continue;
        if (watched[1].revents) {
            drain_signals(state);
            collect(state);
            if (state.child_gone) return;
        }
        if (watched[2].revents & POLLIN) return;
        if (watched[0].revents) {
            Order order{};
            const long size = call(SYS_recvfrom, kControl, &order, sizeof order, MSG_DONTWAIT, 0);
            if (size == -EAGAIN || size == -EINTR) continue;
            if (size <= 0 || order == Order::kKill) return;
            if (order == Order::kTerminate) call(SYS_kill, -state.child, SIGTERM);
        }
    }
}

}  // namespace

extern "C" [[noreturn]] void reaper_main(long* stack) {
    const long argc = stack[0];
    char** argv = reinterpret_cast<char**>(stack + 1);
    char** envp = argv + argc + 1;
    if (argc <= kFirstArg) leave(2);

    State state;
    call(SYS_rt_sigprocmask, SIG_SETMASK, &kAllSignals, 0, kSignalSetBytes);
    call(SYS_prctl, PR_SET_NAME, "child-reaper", 0, 0, 0);
    call(SYS_fcntl, kControl, F_SETFD, FD_CLOEXEC);
    if (call(SYS_fcntl, kGuardian, F_SETFD, FD_CLOEXEC) != 0) state.guardian = -1;  // the socket has to do
    close_from(kGuardian + 1);
    // A group of its own, so that nobody who kills our group kills the reaper first. Not a session: where
    // sessions are scheduled as units, a new one starts at the end of a busy machine's queue.
    call(SYS_setpgid, 0, 0);
    call(SYS_prctl, PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    state.namespaced = has(argv[kModeArg], kNewPids);
    if (state.namespaced) enter_namespaces(argv[kModeArg], argv);
    state.self = static_cast<int>(call(SYS_getpid));
    // SIGCHLD may be ignored where we come from, and then wait would have nothing to tell.
    const std::uint64_t by_default[4] = {};
    call(SYS_rt_sigaction, SIGCHLD, by_default, 0, kSignalSetBytes);
    state.signals = static_cast<int>(call(SYS_signalfd4, -1, &kChildSignal, kSignalSetBytes, O_CLOEXEC | O_NONBLOCK));
    if (state.signals < 0) {
        report(Kind::kFailed, Stage::kSetUp, -state.signals);
        leave(1);
    }

    const bool started = start_child(state, argv, envp);
    for (int fd = 0; fd <= 2; ++fd) call(SYS_close, fd);
    forget(argv + 1);
    forget(envp);
    if (started) watch(state);
    kill_family(state);
    if (started) report(Kind::kExited, Stage::kNone, state.status);
    leave(0);
}

}  // namespace gantry::process::reaper

// The compiler may turn loops into these.
extern "C" void* memset(void* to, int value, std::size_t size) {
    auto* at = static_cast<volatile unsigned char*>(to);
    for (std::size_t i = 0; i < size; ++i) at[i] = static_cast<unsigned char>(value);
    return to;
}
extern "C" void* memcpy(void* to, const void* from, std::size_t size) {
    auto* at = static_cast<volatile unsigned char*>(to);
    const auto* source = static_cast<const unsigned char*>(from);
    for (std::size_t i = 0; i < size; ++i) at[i] = source[i];
    return to;
}

// Entry point: hands the initial stack (argc, argv, envp) over.
#if defined(__x86_64__)
asm(".globl _start\n"
    "_start:\n"
    "    xor %ebp, %ebp\n"
    "    mov %rsp, %rdi\n"
    "    and $-16, %rsp\n"
    "    call reaper_main\n");
#else
asm(".globl _start\n"
    "_start:\n"
    "    mov x29, #0\n"
    "    mov x0, sp\n"
    "    bl reaper_main\n");
#endif
