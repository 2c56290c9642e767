#include "io/process/reaper/confine.hpp"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "io/process/reaper/system.hpp"

// Newer than the headers of some supported systems; the same number on every architecture.
#ifndef SYS_mount_setattr
#define SYS_mount_setattr 442
#endif
#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_add_rule 445
#define SYS_landlock_restrict_self 446
#endif

namespace gantry::process::reaper {
namespace {

struct Step {
    const StepHead& head;
    const char* payload;

    const char* text(int number) const {
        const char* at = payload;
        for (; number > 0; --number) {
            while (*at) ++at;
            ++at;
        }
        return at;
    }
};

long mount_flags(const char* where, std::uint64_t set, std::uint64_t clear, std::uint64_t recursive) {
    const struct {
        std::uint64_t set, clear, propagation, user_namespace;
    } wish{set, clear, 0, 0};
    return call(SYS_mount_setattr, AT_FDCWD, where, recursive, &wish, sizeof wish);
}

long make_file(const char* path) {
    const long fd = call(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    if (fd >= 0) call(SYS_close, fd);
    return fd < 0 ? fd : 0;
}

long make_folder(const char* path, std::uint64_t mode) {
    const long made = call(SYS_mkdirat, AT_FDCWD, path, mode);
    return made == -EEXIST ? 0 : made;
}

long make_link(const char* says, const char* path) {
    const long made = call(SYS_symlinkat, says, AT_FDCWD, path);
    return made == -EEXIST ? 0 : made;
}

/// The old root stays mounted over the new one briefly and is then detached.
long change_root(const char* folder) {
    if (const long result = call(SYS_chdir, folder)) return result;
    if (const long result = call(SYS_pivot_root, ".", ".")) return result;
    if (const long result = call(SYS_umount2, ".", MNT_DETACH)) return result;
    return call(SYS_chdir, "/");
}

long write_file(const char* path, const char* text) {
    std::size_t size = 0;
    while (text[size]) ++size;
    const long fd = call(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CLOEXEC);
    if (fd < 0) return fd;
    const long written = call(SYS_write, fd, text, size);
    call(SYS_close, fd);
    return written < 0 ? written : 0;
}

long loopback_up() {
    const long fd = call(SYS_socket, AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0) return fd;
    ifreq request{};
    request.ifr_name[0] = 'l';
    request.ifr_name[1] = 'o';
    request.ifr_flags = IFF_UP | IFF_RUNNING;
    const long result = call(SYS_ioctl, fd, SIOCSIFFLAGS, &request);
    call(SYS_close, fd);
    return result;
}

/// Gantry serves it from outside; a process inside that connects to it reaches nothing else.
long listen_inside(std::uint64_t port) {
    const long fd = call(SYS_socket, AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) return fd;
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = __builtin_bswap16(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = __builtin_bswap32(INADDR_LOOPBACK);
    long result = call(SYS_bind, fd, &address, sizeof address);
    if (result == 0) result = call(SYS_listen, fd, 128);
    if (result == 0) result = send_socket(Kind::kListener, fd);
    call(SYS_close, fd);
    return result;
}

long take_family_step(const Step& step, Watch& watch) {
    const StepHead& head = step.head;
    switch (head.kind) {
        case StepKind::kShareNoMounts: return call(SYS_mount, 0, "/", 0, MS_REC | MS_SLAVE, 0);
        case StepKind::kMount: return call(SYS_mount, step.text(0), step.text(1), step.text(0), head.a, step.text(2));
        case StepKind::kBind: return call(SYS_mount, step.text(0), step.text(1), 0, MS_BIND | MS_REC, 0);
        case StepKind::kMountFlags: return mount_flags(step.text(0), head.a, head.b, head.c);
        case StepKind::kMakeFolder: return make_folder(step.text(0), head.a);
        case StepKind::kMakeFile: return make_file(step.text(0));
        case StepKind::kLink: return make_link(step.text(0), step.text(1));
        case StepKind::kChangeRoot: return change_root(step.text(0));
        case StepKind::kLoopback: return loopback_up();
        case StepKind::kListen: return listen_inside(head.a);
        case StepKind::kWriteFile: return write_file(step.text(0), step.text(1));
        case StepKind::kWatchMemory: watch = {head.a, head.b}; return 0;
        default: return -EINVAL;
    }
}

/// Drops all capabilities but `kept`, and does not add those that are missing.
long drop_privileges(std::uint64_t kept) {
    for (long capability = 0; capability < 64; ++capability) {
        if ((kept >> capability & 1) != 0) continue;
        if (call(SYS_prctl, PR_CAPBSET_DROP, capability, 0, 0, 0) == -EINVAL) break;
    }
    call(SYS_prctl, PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
    __user_cap_header_struct head{_LINUX_CAPABILITY_VERSION_3, 0};
    __user_cap_data_struct sets[2] = {};
    if (kept != 0 && call(SYS_capget, &head, sets) != 0) kept = 0;
    for (int half = 0; half < 2; ++half) {
        const unsigned some = sets[half].permitted & static_cast<unsigned>(kept >> 32 * half);
        sets[half] = {.effective = some, .permitted = some, .inheritable = 0};
    }
    if (const long result = call(SYS_capset, &head, sets)) return result;
    return call(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

long set_limit(std::uint64_t resource, std::uint64_t value) {
    rlimit64 wish{value, value};
    rlimit64 now{};
    // An unprivileged process cannot raise a hard limit, and need not.
    if (call(SYS_prlimit64, 0, resource, 0, &now) == 0 && now.rlim_max < wish.rlim_max) {
        wish = {now.rlim_max, now.rlim_max};
    }
    return call(SYS_prlimit64, 0, resource, &wish, 0);
}

long begin_landlock(const StepHead& head, long& rules) {
    const std::uint64_t wish[3] = {head.a, head.b, head.c};
    // Older kernels have a shorter structure and reject a longer one unless the rest is zero.
    rules = call(SYS_landlock_create_ruleset, wish, sizeof wish, 0);
    return rules < 0 ? rules : 0;
}

long allow_path(long rules, const char* path, std::uint64_t accesses) {
    struct [[gnu::packed]] {
        std::uint64_t accesses;
        std::int32_t parent;
    } rule{accesses, -1};
    // The accesses that apply to a non-directory.
    constexpr std::uint64_t kOfFiles = 1 | 2 | 4 | 1u << 14 | 1u << 15;
    const long fd = call(SYS_openat, AT_FDCWD, path, O_PATH | O_CLOEXEC);
    if (fd == -ENOENT || fd == -EACCES) return 0;
    if (fd < 0) return fd;
    rule.parent = static_cast<std::int32_t>(fd);
    long result = call(SYS_landlock_add_rule, rules, 1, &rule, 0);
    if (result == -EINVAL) {
        rule.accesses &= kOfFiles;
        result = call(SYS_landlock_add_rule, rules, 1, &rule, 0);
    }
    call(SYS_close, fd);
    return result;
}

long install_filter(const Step& step) {
    const sock_fprog program{static_cast<unsigned short>(step.head.payload / sizeof(sock_filter)),
                             reinterpret_cast<sock_filter*>(const_cast<char*>(step.payload))};
    if (step.head.a == 0) return call(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program);
    const long calls = call(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &program);
    if (calls < 0) return calls;
    const long sent = send_socket(Kind::kListener, calls);
    call(SYS_close, calls);
    return sent;
}

long take_child_step(const Step& step, long& rules) {
    const StepHead& head = step.head;
    switch (head.kind) {
        case StepKind::kLimit: return set_limit(head.a, head.b);
        case StepKind::kNoPrivileges: return drop_privileges(head.a);
        case StepKind::kLandlock: return begin_landlock(head, rules);
        case StepKind::kLandlockAllow: return rules < 0 ? 0 : allow_path(rules, step.text(0), head.a);
        case StepKind::kLandlockEnforce: return rules < 0 ? 0 : call(SYS_landlock_restrict_self, rules, 0);
        case StepKind::kFilter: return install_filter(step);
        default: return -EINVAL;
    }
}

/// Calls `take` with each step of one side and its number.
template <class Take>
bool each_step(const Plan& plan, bool of_child, Report& failure, const Take& take) {
    std::uint16_t number = 0;
    for (const char* at = plan.begin; at < plan.end; ++number) {
        const auto& head = *reinterpret_cast<const StepHead*>(at);
        const Step step{head, at + sizeof head};
        at += head.size;
        if ((head.kind >= kFirstOfChild) != of_child) continue;
        const long result = take(step);
        if (result >= 0) continue;
        failure = {head.required ? Kind::kFailed : Kind::kSkipped, Stage::kConfine, number, static_cast<int>(-result)};
        if (head.required) return false;
        call(SYS_sendto, kControl, &failure, sizeof failure, MSG_NOSIGNAL, 0);
    }
    return true;
}

}  // namespace

long send_socket(Kind kind, long fd) {
    const Report message{.kind = kind, .stage = Stage::kNone, .step = 0, .value = 0};
    alignas(cmsghdr) char extra[CMSG_SPACE(sizeof(int))] = {};
    iovec part{const_cast<Report*>(&message), sizeof message};
    msghdr packet{};
    packet.msg_iov = &part;
    packet.msg_iovlen = 1;
    packet.msg_control = extra;
    packet.msg_controllen = sizeof extra;
    auto* head = reinterpret_cast<cmsghdr*>(extra);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(sizeof(int));
    *reinterpret_cast<int*>(CMSG_DATA(head)) = static_cast<int>(fd);
    const long sent = call(SYS_sendmsg, kControl, &packet, MSG_NOSIGNAL);
    return sent < 0 ? sent : 0;
}

Plan read_plan() {
    struct stat info{};
    if (call(SYS_fstat, kPlan, &info) != 0 || info.st_size == 0) return {};
    const long memory = call(SYS_mmap, 0, info.st_size, PROT_READ, MAP_PRIVATE, kPlan, 0);
    if (memory < 0 && memory > -4096) return {};
    const char* begin = reinterpret_cast<const char*>(memory);
    return {begin, begin + info.st_size};
}

bool confine_family(const Plan& plan, Watch& watch, Report& failure) {
    return each_step(plan, false, failure, [&](const Step& step) { return take_family_step(step, watch); });
}

bool confine_child(const Plan& plan, Report& failure) {
    long rules = -1;
    return each_step(plan, true, failure, [&](const Step& step) { return take_child_step(step, rules); });
}

}  // namespace gantry::process::reaper
