#include "gateway/sandbox/kernel.hpp"

#include <linux/seccomp.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <fstream>
#include <system_error>

#include "gateway/sandbox/cgroup.hpp"
#include "gateway/sandbox/filter.hpp"
#include "io/process/confinement.hpp"

namespace gantry::gateway::sandbox {

namespace {

constexpr long kLandlockCreate = 444;
constexpr unsigned kAskVersion = 1;

Offer offer(std::string name, const Result<void>& tried, const std::string& advice) {
    if (tried) return {.name = std::move(name), .available = true, .why = {}};
    return {.name = std::move(name), .available = false, .why = tried.error().message() + advice};
}

/// Why unprivileged namespaces are disabled, as far as the usual sysctls tell.
std::string namespace_advice() {
    const auto reads = [](const char* file, char value) {
        std::ifstream in(file);
        char first = 0;
        return in.get(first) && first == value;
    };
    if (reads("/proc/sys/kernel/apparmor_restrict_unprivileged_userns", '1'))
        return " (AppArmor: set kernel.apparmor_restrict_unprivileged_userns=0 or give gantry a profile with userns)";
    if (reads("/proc/sys/kernel/unprivileged_userns_clone", '0')) return " (set kernel.unprivileged_userns_clone=1)";
    if (reads("/proc/sys/user/max_user_namespaces", '0')) return " (set user.max_user_namespaces above 0)";
    return " (in a container: allow user namespaces and an unmasked /proc)";
}

Result<void> try_namespaces() {
    process::Confinement wish;
    wish.namespaces = CLONE_NEWPID | CLONE_NEWNS;
    wish.share_no_mounts()
        .mount("tmpfs", "/tmp", MS_NOSUID | MS_NODEV, "size=64k")
        .read_only("/tmp")
        .mount("proc", "/proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, "");
    return process::rehearse(wish);
}

Result<void> try_network() {
    process::Confinement wish;
    wish.namespaces = CLONE_NEWPID | CLONE_NEWNET;
    wish.loopback();
    return process::rehearse(wish);
}

Offer ask_landlock(int& version) {
    const long answer = syscall(kLandlockCreate, nullptr, 0, kAskVersion);
    version = answer < 0 ? 0 : static_cast<int>(answer);
    Offer result{.name = "Landlock file rules", .available = version > 0, .why = {}};
    result.why = version > 0 ? "version " + std::to_string(version)
                 : errno == ENOSYS
                     ? "needs Linux 5.13 or newer"
                     : "the kernel has it but it is switched off (add landlock to the lsm= boot parameter)";
    return result;
}

Offer ask_filter() {
    const unsigned action = SECCOMP_RET_ERRNO;
    Offer result{.name = "filter on system calls", .available = false, .why = {}};
    if (system_call_filter(true).empty())
        result.why = "not known for this processor";
    else if (syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) != 0)
        result.why = "seccomp: " + std::generic_category().message(errno);
    else
        result.available = true;
    return result;
}

bool at_least(int major, int minor) {
    utsname name{};
    int have_major = 0, have_minor = 0;
    if (uname(&name) != 0 || std::sscanf(name.release, "%d.%d", &have_major, &have_minor) != 2) return false;
    return have_major > major || (have_major == major && have_minor >= minor);
}

Kernel ask() {
    Kernel kernel;
    kernel.namespaces = offer("processes and mounts of its own", try_namespaces(), namespace_advice());
    kernel.network = offer("network of its own", try_network(), namespace_advice());
    kernel.landlock = ask_landlock(kernel.landlock_version);
    kernel.filter = ask_filter();
    kernel.counts_tasks = at_least(5, 14);
    const unsigned asked = SECCOMP_RET_USER_NOTIF;
    kernel.marks_sockets =
        kernel.filter.available && at_least(5, 14) && syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &asked) == 0;
    const auto delegated = Cgroup::find();
    kernel.limits =
        offer("cgroup v2 limits", delegated ? Result<void>() : fail(delegated.error()), "; using rlimits and polling");
    return kernel;
}

}  // namespace

const Kernel& kernel() {
    static const Kernel value = ask();
    return value;
}

}  // namespace gantry::gateway::sandbox
