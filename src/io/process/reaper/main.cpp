// The reaper process between us and a child. It is started from an image inside the library,
// runs without a C library in a few pages of memory, and has one duty: when the child ends, when our
// process ends (however), or on request, it kills all descendants of the child. See ../README.md.

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>

#include "io/process/reaper/confine.hpp"
#include "io/process/reaper/descendants.hpp"
#include "io/process/reaper/protocol.hpp"
#include "io/process/reaper/system.hpp"

namespace gantry::process::reaper {
namespace {

constexpr long kSignalSetBytes = 8;
constexpr std::uint64_t kAllSignals = ~std::uint64_t{0};
constexpr std::uint64_t kChildSignal = std::uint64_t{1} << (SIGCHLD - 1);
// An unkillable descendant (another user's, stuck in the kernel) is given up after this.
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
    Plan plan;
    Watch limits;
    long next_look = 0;
};

void report(Kind kind, Stage stage, int value) {
    const Report message{kind, stage, 0, value};
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

void write_maps(char** argv) {
    write_file("/proc/self/setgroups", "deny");
    write_file("/proc/self/uid_map", argv[kUidMapArg]);
    write_file("/proc/self/gid_map", argv[kGidMapArg]);
}

void mount_own_proc() {
    // If permitted, /proc shows the pids the child sees; otherwise the child sees ours.
    if (call(SYS_unshare, CLONE_NEWNS) != 0) return;
    call(SYS_mount, 0, "/", 0, MS_REC | MS_SLAVE, 0);
    call(SYS_mount, "proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, 0);
}

/// Overwrites arguments and environment, so that ps does not show the child's a second time.
void forget(char** strings) {
    for (; *strings; ++strings)
        for (char* c = *strings; *c; ++c) *const_cast<volatile char*>(c) = '\0';
}

/// Blocks a process until another has reached a point: the waiter sees the end of a pipe the other closes.
class Barrier {
public:
    bool open() noexcept { return call(SYS_pipe2, ends_, O_CLOEXEC) == 0; }
    void wait() const noexcept {
        call(SYS_close, ends_[1]);
        char byte;
        while (call(SYS_read, ends_[0], &byte, 1) == -EINTR) continue;
        call(SYS_close, ends_[0]);
    }
    void lift() const noexcept {
        call(SYS_close, ends_[0]);
        call(SYS_close, ends_[1]);
    }

private:
    int ends_[2] = {-1, -1};
};

/// The first process of a PID namespace only keeps it alive: programs take a parent with pid 1 for a sign that theirs
/// has died. Returns in the second process; when that ends, the kernel kills all processes inside.
void leave_first_process(char** argv, char** envp) {
    Barrier forgotten;
    if (!forgotten.open()) {
        report(Kind::kFailed, Stage::kSetUp, EMFILE);
        leave(1);
    }
    const long second = call(SYS_clone, SIGCHLD);
    if (second == 0) return forgotten.wait();
    forget(argv + 1);
    forget(envp);
    forgotten.lift();
    if (second < 0) {
        report(Kind::kFailed, Stage::kFork, static_cast<int>(-second));
        leave(1);
    }
    close_from(0);
    for (;;) {
        const long pid = call(SYS_wait4, -1, 0, __WALL, 0);
        if (pid == second || pid == -ECHILD) leave(0);
    }
}

[[noreturn]] void become_child(const State& state, char** argv, char** envp, int failures) {
    const int parent = state.self;
    Report failure{Kind::kFailed, Stage::kSetUp, 0, ESRCH};
    // The reaper has one thread and lives as long as the child, so unlike in the library this
    // signal comes exactly when it should: when the reaper itself is killed.
    call(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    if (call(SYS_getppid) != parent) leave(127);
    if (has(argv[kModeArg], kNewUser)) call(SYS_prctl, PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
    call(SYS_setsid);
    report(Kind::kPid, Stage::kNone, 0);
    for (int signal = 1; signal <= 64; ++signal) {
        const std::uint64_t by_default[4] = {};  // the kernel's struct sigaction
        call(SYS_rt_sigaction, signal, by_default, 0, kSignalSetBytes);
    }
    long result = argv[kCwdArg][0] ? call(SYS_chdir, argv[kCwdArg]) : 0;
    if (result != 0) {
        failure.stage = Stage::kChdir;
    } else if (!confine_child(state.plan, failure)) {
        result = -failure.value;
    } else {
        const std::uint64_t none = 0;
        call(SYS_rt_sigprocmask, SIG_SETMASK, &none, 0, kSignalSetBytes);
        result = call(SYS_execve, argv[kProgramArg], argv + kFirstArg, envp);
        failure = {Kind::kFailed, Stage::kExec, 0, 0};
    }
    failure.value = static_cast<std::int32_t>(-result);
    call(SYS_write, failures, &failure, sizeof failure);
    leave(127);
}

/// Starts the child and reports the result. Arguments and environment are erased here before the child runs: in its
/// own namespace it could otherwise read them from this process after erasing its own.
bool start_child(State& state, char** argv, char** envp) {
    int failures[2];
    Barrier forgotten;
    if (const long result = call(SYS_pipe2, failures, O_CLOEXEC); result != 0 || !forgotten.open()) {
        report(Kind::kFailed, Stage::kSetUp, result != 0 ? static_cast<int>(-result) : EMFILE);
        return false;
    }
    const long child = call(SYS_clone, SIGCHLD);
    if (child == 0) {
        forgotten.wait();
        become_child(state, argv, envp, failures[1]);
    }
    forget(argv + 1);
    forget(envp);
    forgotten.lift();
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
        call(SYS_sendto, kControl, &failure, sizeof failure, MSG_NOSIGNAL, 0);
        return false;
    }
    report(Kind::kStarted, Stage::kNone, 0);
    return true;
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

/// Kills until no descendant is left. Orphans are reparented to us (subreaper), so none
/// escapes by double fork or by changing group or session.
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

timespec pause_until(long when) {
    const long left = when - now_ms();
    return left <= 0 ? timespec{0, 0} : timespec{left / 1000, left % 1000 * 1'000'000};
}

bool too_many(const State& state, const FamilySize& size) {
    return state.limits.tasks != 0 && size.tasks > state.limits.tasks;
}
bool too_large(const State& state, const FamilySize& size) {
    return state.limits.memory != 0 && size.memory > state.limits.memory;
}

/// Interval until the next size check: short if the size is near its limits.
long next_look_ms(const State& state, const FamilySize& size) {
    const Watch& limits = state.limits;
    const bool near =
        (limits.memory != 0 && size.memory > limits.memory / 2) || (limits.tasks != 0 && size.tasks > limits.tasks / 2);
    return near ? 10 : 100;
}

/// Checks the size of all descendants when due. False: it exceeds its limits.
bool within_limits(State& state) {
    if (now_ms() < state.next_look) return true;
    const FamilySize size = family_size(state.self);
    if (too_many(state, size) || too_large(state, size)) {
        // Too many processes soon use too much memory as well: report the number, which is the cause.
        report(Kind::kOutgrew, Stage::kNone, too_many(state, size) ? 2 : 1);
        return false;
    }
    state.next_look = now_ms() + next_look_ms(state, size);
    return true;
}

/// The host cannot enter the child's network, but a socket belongs to the network it was made in, wherever it is used.
void hand_out_socket(int family) {
    const long fd = call(SYS_socket, family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, IPPROTO_TCP);
    const long sent = fd < 0 ? fd : send_socket(Kind::kSocket, fd);
    if (sent < 0) report(Kind::kSocket, Stage::kNone, static_cast<int>(-sent));
    if (fd >= 0) call(SYS_close, fd);
}

/// Returns when the descendants have to be killed.
void watch(State& state) {
    const bool limited = state.limits.memory != 0 || state.limits.tasks != 0;
    pollfd watched[3] = {{kControl, POLLIN, 0}, {state.signals, POLLIN, 0}, {state.guardian, POLLIN, 0}};
    for (;;) {
        if (limited && !within_limits(state)) return;
        const timespec nap = pause_until(state.next_look);
        if (call(SYS_ppoll, watched, 3, limited ? &nap : 0, 0, kSignalSetBytes) <= 0) continue;
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
            if (order == Order::kSocketV4) hand_out_socket(AF_INET);
            if (order == Order::kSocketV6) hand_out_socket(AF_INET6);
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
    if (call(SYS_fcntl, kGuardian, F_SETFD, FD_CLOEXEC) != 0) state.guardian = -1;  // fall back to the socket
    if (has(argv[kModeArg], kConfined)) state.plan = read_plan();
    close_from(kGuardian + 1);
    // A group of its own, so that killing our group does not kill the reaper first. Not a session: where
    // sessions are scheduling units, a new one starts at the end of a busy machine's queue.
    call(SYS_setpgid, 0, 0);
    const char* mode = argv[kModeArg];
    if (has(mode, kNewUser)) write_maps(argv);
    if (has(mode, kOwnProc)) mount_own_proc();
    if (Report failure; !confine_family(state.plan, state.limits, failure)) {
        call(SYS_sendto, kControl, &failure, sizeof failure, MSG_NOSIGNAL, 0);
        leave(1);
    }
    state.namespaced = has(mode, kNewPids);
    if (state.namespaced) leave_first_process(argv, envp);
    call(SYS_prctl, PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    state.self = static_cast<int>(call(SYS_getpid));
    // SIGCHLD may be inherited as ignored, and then wait would report nothing.
    const std::uint64_t by_default[4] = {};
    call(SYS_rt_sigaction, SIGCHLD, by_default, 0, kSignalSetBytes);
    state.signals = static_cast<int>(call(SYS_signalfd4, -1, &kChildSignal, kSignalSetBytes, O_CLOEXEC | O_NONBLOCK));
    if (state.signals < 0) {
        report(Kind::kFailed, Stage::kSetUp, -state.signals);
        leave(1);
    }

    const bool started = start_child(state, argv, envp);
    for (int fd = 0; fd <= 2; ++fd) call(SYS_close, fd);
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

// Entry point: passes the initial stack (argc, argv, envp) to C++.
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
