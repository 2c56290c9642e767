#include "io/process/spawn.hpp"

#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <cerrno>
#include <mutex>
#include <string>
#include <system_error>

#include "base/try.hpp"
#include "io/process/confinement.hpp"
#include "io/process/descriptor_limit.hpp"
#include "io/process/image.hpp"
#include "io/process/reaper/protocol.hpp"

// glibc's clone under the name that sanitizers do not intercept: their version assumes a child with
// its own memory.
extern "C" int __clone(int (*)(void*), void*, int, void*, ...);

namespace gantry::process {
namespace {

constexpr int kInheritedFds = reaper::kPlan + 1;
constexpr unsigned kWaitByPidfd = 3;  // P_PIDFD, absent from older headers

Error system_error(std::string what, int error) {
    return Error(ErrorCode::kConnection, std::move(what) + ": " + std::generic_category().message(error));
}

/// Moves a descriptor above the numbers the reaper expects, in case the host has closed its own 0 to 4.
Fd high(Fd fd) {
    if (!fd || fd.get() >= kInheritedFds) return fd;
    return Fd(fcntl(fd.get(), F_DUPFD_CLOEXEC, kInheritedFds));
}

struct Pair {
    Fd ours, theirs;
};

Result<Pair> make_pair_of(int made, int ours, int theirs) {
    if (made != 0) return fail(system_error("cannot make a pipe for a child process", errno));
    Pair pair{high(Fd(ours)), high(Fd(theirs))};
    if (!pair.ours || !pair.theirs || fcntl(pair.ours.get(), F_SETFL, O_NONBLOCK) != 0)
        return fail(system_error("cannot make a pipe for a child process", errno));
    return pair;
}
Result<Pair> input_pipe() {
    int fds[2] = {-1, -1};
    const int made = pipe2(fds, O_CLOEXEC);
    return make_pair_of(made, fds[1], fds[0]);
}
Result<Pair> output_pipe() {
    int fds[2] = {-1, -1};
    const int made = pipe2(fds, O_CLOEXEC);
    return make_pair_of(made, fds[0], fds[1]);
}
Result<Pair> control_pair() {
    int fds[2] = {-1, -1};
    const int made = socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds);
    const int on = 1;
    // The kernel then passes the sender's pid in our namespace.
    if (made == 0) setsockopt(fds[0], SOL_SOCKET, SO_PASSCRED, &on, sizeof on);
    return make_pair_of(made, fds[0], fds[1]);
}

struct Launch {
    int image;
    int fds[kInheritedFds];
    char* const* argv;
    char* const* envp;
    const rlimit* descriptors;  // null: ours
    bool keep_capabilities;
    int error;
};

/// In its own user namespace a process has all capabilities, until it executes a program as an ordinary user. The
/// reaper needs them, so they are made inheritable; it passes none of them on.
__attribute__((no_sanitize("address", "thread", "undefined"), no_stack_protector)) void keep_capabilities() {
    __user_cap_header_struct head{_LINUX_CAPABILITY_VERSION_3, 0};
    __user_cap_data_struct sets[2];
    if (syscall(SYS_capget, &head, sets) != 0) return;
    for (int i = 0; i < 2; ++i) sets[i].inheritable = sets[i].permitted;
    syscall(SYS_capset, &head, sets);
    for (unsigned capability = 0; capability < 64; ++capability)
        if ((sets[capability / 32].permitted >> capability % 32 & 1) != 0)
            syscall(SYS_prctl, PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, capability, 0, 0);
}

/// Runs in the memory of the suspended caller, so it must only make system calls. The reaper
/// closes all other inherited descriptors.
__attribute__((no_sanitize("address", "thread", "undefined"), no_stack_protector)) int launch(void* argument) {
    auto* plan = static_cast<Launch*>(argument);
    for (int target = 0; target < kInheritedFds; ++target)
        if (plan->fds[target] >= 0 && syscall(SYS_dup3, plan->fds[target], target, 0) < 0) {
            plan->error = errno;
            syscall(SYS_exit, 127);
        }
    if (plan->descriptors != nullptr) syscall(SYS_prlimit64, 0, RLIMIT_NOFILE, plan->descriptors, nullptr);
    if (plan->keep_capabilities) keep_capabilities();
    syscall(SYS_execveat, plan->image, "", plan->argv, plan->envp, AT_EMPTY_PATH);
    plan->error = errno;
    syscall(SYS_exit, 127);
    return 127;
}

class AllSignalsBlocked {
public:
    AllSignalsBlocked() noexcept {
        sigset_t all;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before_);
    }
    ~AllSignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
    AllSignalsBlocked(const AllSignalsBlocked&) = delete;
    AllSignalsBlocked& operator=(const AllSignalsBlocked&) = delete;

private:
    sigset_t before_;
};

/// One vfork and exec. The pidfd is created with the process, so its pid cannot have been
/// reused.
Result<Fd> run_launch(Launch& plan, int namespaces) {
    alignas(16) char stack[16384];
    int pidfd = -1;
    plan.error = 0;
    int pid;
    {
        const AllSignalsBlocked guard;
        pid = __clone(launch, stack + sizeof stack, CLONE_VM | CLONE_VFORK | CLONE_PIDFD | SIGCHLD | namespaces, &plan,
                      &pidfd, nullptr, nullptr);
        if (pid < 0) plan.error = errno;
    }
    Fd process(pid < 0 ? -1 : pidfd);
    if (plan.error == 0) return process;
    if (process) {
        siginfo_t info;
        waitid(static_cast<idtype_t>(kWaitByPidfd), static_cast<id_t>(process.get()), &info, WEXITED);
    }
    return fail(system_error("cannot start a child process", plan.error));
}

Result<void> check_text(const Command& command) {
    const auto has_nul = [](const std::string& text) { return text.find('\0') != std::string::npos; };
    if (command.program.empty()) return fail(ErrorCode::kInvalidArgument, "a command needs a program");
    if (has_nul(command.program) || has_nul(command.cwd))
        return fail(ErrorCode::kInvalidArgument, "a command's program or folder holds a NUL character");
    for (const std::string& arg : command.args)
        if (has_nul(arg)) return fail(ErrorCode::kInvalidArgument, "a command's argument holds a NUL character");
    for (const auto& [name, value] : command.env) {
        if (name.empty() || has_nul(name) || name.find('=') != std::string::npos)
            return fail(ErrorCode::kInvalidArgument, "an environment variable's name is empty or holds = or NUL");
        if (has_nul(value))
            return fail(ErrorCode::kInvalidArgument, "environment variable '" + name + "' holds a NUL character");
    }
    return {};
}

/// The strings of an exec call and the pointers to them.
class Strings {
public:
    void add(std::string text) { texts_.push_back(std::move(text)); }
    char** pointers() {
        pointers_.clear();
        for (std::string& text : texts_) pointers_.push_back(text.data());
        pointers_.push_back(nullptr);
        return pointers_.data();
    }
    std::string& operator[](std::size_t index) { return texts_[index]; }

private:
    std::vector<std::string> texts_;
    std::vector<char*> pointers_;
};

/// The steps of a confinement as the reaper's plan file; empty if there is none.
Result<Fd> plan_file(const Confinement* confinement) {
    if (confinement == nullptr) return Fd();
    Fd fd = high(Fd(memfd_create("confinement", MFD_CLOEXEC)));
    std::string_view rest = confinement->plan();
    while (fd && !rest.empty()) {
        const ssize_t size = ::write(fd.get(), rest.data(), rest.size());
        if (size <= 0) break;
        rest.remove_prefix(static_cast<std::size_t>(size));
    }
    if (!fd || !rest.empty()) return fail(system_error("cannot hold the confinement of a child process", errno));
    return fd;
}

int namespaces_of(const Command& command) {
    if (command.confinement) return command.confinement->namespaces;
    return command.pid_namespace ? CLONE_NEWPID : 0;
}
std::string mode_of(const Command& command) {
    std::string mode;
    const int namespaces = namespaces_of(command);
    if ((namespaces & CLONE_NEWPID) != 0) mode += reaper::kNewPids;
    if (command.confinement)
        mode += reaper::kConfined;
    else if (namespaces != 0)
        mode += reaper::kOwnProc;
    return mode;
}

}  // namespace

Result<Spawned> spawn(const Command& command) {
    GANTRY_CHECK(check_text(command));
    GANTRY_TRY(std::string program, find_program(command));
    GANTRY_TRY(const int image, reaper_image());
    GANTRY_TRY(Pair in, input_pipe());
    GANTRY_TRY(Pair out, output_pipe());
    GANTRY_TRY(Pair err, output_pipe());
    GANTRY_TRY(Pair control, control_pair());
    const Fd guardian = high(Fd(static_cast<int>(syscall(SYS_pidfd_open, getpid(), 0))));

    const std::string uid = std::to_string(geteuid()), gid = std::to_string(getegid());
    Strings argv, envp;
    for (const char* text : {"child-reaper", ""}) argv.add(text);
    argv.add(uid + ' ' + uid + " 1");
    argv.add(gid + ' ' + gid + " 1");
    argv.add(command.cwd);
    argv.add(std::move(program));
    argv.add(command.program);
    for (const std::string& arg : command.args) argv.add(arg);
    for (const auto& [name, value] : command.env) envp.add(name + '=' + value);

    const Confinement* confinement = command.confinement.get();
    GANTRY_TRY(const Fd steps, plan_file(confinement));
    const auto descriptors = descriptor_limit_for_children();
    Launch plan{
        .image = image,
        .fds = {in.theirs.get(), out.theirs.get(), err.theirs.get(), control.theirs.get(), guardian.get(), steps.get()},
        .argv = nullptr,
        .envp = envp.pointers(),
        .descriptors = descriptors ? &*descriptors : nullptr,
        .keep_capabilities = false,
        .error = 0};
    const auto attempt = [&](std::string letters, int namespaces_wanted) {
        argv[reaper::kModeArg] = std::move(letters);
        plan.argv = argv.pointers();
        plan.keep_capabilities = (namespaces_wanted & CLONE_NEWUSER) != 0;
        return run_launch(plan, namespaces_wanted);
    };
    const std::string mode = mode_of(command);
    const int namespaces = namespaces_of(command);
    Result<Fd> started = fail(ErrorCode::kUnsupported, "no namespace wanted");
    if (namespaces != 0) {
        if (!confinement || !confinement->user_namespace) started = attempt(mode, namespaces);
        if (!started) started = attempt(mode + reaper::kNewUser, namespaces | CLONE_NEWUSER);
        if (!started && confinement) return fail(std::move(started).error().within("namespaces"));
    }
    if (!started) started = attempt(confinement ? mode : "", 0);
    if (!started) return fail(std::move(started).error());
    return Spawned{std::move(in.ours), std::move(out.ours), std::move(err.ours), std::move(control.ours),
                   *std::move(started)};
}

bool collect(int reaper) noexcept {
    siginfo_t info{};
    for (;;) {
        const int result =
            waitid(static_cast<idtype_t>(kWaitByPidfd), static_cast<id_t>(reaper), &info, WEXITED | WNOHANG);
        if (result == 0) return info.si_pid != 0;
        if (errno != EINTR) return true;  // ECHILD: the host ignores SIGCHLD, or waits for all children
    }
}

void collect_later(Fd reaper) {
    static std::mutex mutex;
    static auto& waiting = *new std::vector<Fd>;  // never destroyed: loops may end after statics
    const std::lock_guard lock(mutex);
    std::erase_if(waiting, [](const Fd& fd) { return collect(fd.get()); });
    if (reaper && !collect(reaper.get())) waiting.push_back(std::move(reaper));
}

}  // namespace gantry::process
