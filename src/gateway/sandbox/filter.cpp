#include "gateway/sandbox/filter.hpp"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include <cerrno>
#include <cstddef>
#include <initializer_list>
#include <utility>
#include <vector>

namespace gantry::gateway::sandbox {

namespace {

#if defined(__x86_64__)
constexpr unsigned kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr unsigned kArchitecture = AUDIT_ARCH_AARCH64;
#else
constexpr unsigned kArchitecture = 0;
#endif
constexpr unsigned kX32 = 0x40000000;  // x32, the third system call ABI on x86_64
constexpr unsigned kRefuse = SECCOMP_RET_ERRNO | EPERM;
constexpr unsigned kUnknown = SECCOMP_RET_ERRNO | ENOSYS;

// The same on every architecture, and newer than the headers of some build systems.
constexpr unsigned kClone3 = 435, kIoUringSetup = 425, kIoUringEnter = 426, kIoUringRegister = 427, kMemfdSecret = 447;
constexpr unsigned kNewMountCalls[] = {428, 429, 430, 431, 432, 433, 442};

class Program {
public:
    void load(std::size_t offset) { add(BPF_LD | BPF_W | BPF_ABS, static_cast<unsigned>(offset)); }
    void load_number() { load(offsetof(seccomp_data, nr)); }
    /// The low half, which comes first on the supported (little-endian) architectures.
    void load_argument(std::size_t number) { load(offsetof(seccomp_data, args) + 8 * number); }
    void answer(unsigned verdict) { add(BPF_RET | BPF_K, verdict); }
    void unless_equal_skip(unsigned value, unsigned char count) { add(BPF_JMP | BPF_JEQ | BPF_K, value, 0, count); }
    void if_equal_skip(unsigned value, unsigned char count) { add(BPF_JMP | BPF_JEQ | BPF_K, value, count, 0); }
    void keep_bits(unsigned bits) { add(BPF_ALU | BPF_AND | BPF_K, bits); }
    void unless_any_bit_skip(unsigned bits, unsigned char count) { add(BPF_JMP | BPF_JSET | BPF_K, bits, 0, count); }
    void unless_at_least_skip(unsigned value, unsigned char count) { add(BPF_JMP | BPF_JGE | BPF_K, value, 0, count); }

    void refuse(unsigned number, unsigned verdict = kRefuse) {
        unless_equal_skip(number, 1);
        answer(verdict);
    }
    std::string bytes() const {
        return {reinterpret_cast<const char*>(code_.data()), code_.size() * sizeof(sock_filter)};
    }

private:
    void add(int code, unsigned value, unsigned char yes = 0, unsigned char no = 0) {
        code_.push_back({static_cast<unsigned short>(code), yes, no, value});
    }
    std::vector<sock_filter> code_;
};

void check_architecture(Program& program) {
    program.load(offsetof(seccomp_data, arch));
    program.if_equal_skip(kArchitecture, 1);
    program.answer(kUnknown);
    program.load_number();
#if defined(__x86_64__)
    program.unless_at_least_skip(kX32, 1);
    program.answer(kUnknown);
#endif
}

void refuse_always(Program& program) {
    for (const long number : {SYS_kexec_load,
                              SYS_init_module,
                              SYS_finit_module,
                              SYS_delete_module,
                              SYS_bpf,
                              SYS_perf_event_open,
                              SYS_userfaultfd,
                              SYS_add_key,
                              SYS_request_key,
                              SYS_keyctl,
                              SYS_swapon,
                              SYS_swapoff,
                              SYS_reboot,
                              SYS_acct,
                              SYS_quotactl,
                              SYS_settimeofday,
                              SYS_clock_settime,
                              SYS_clock_adjtime,
                              SYS_adjtimex,
                              SYS_vhangup,
                              SYS_open_by_handle_at,
                              SYS_lookup_dcookie,
                              SYS_syslog,
                              SYS_sethostname,
                              SYS_setdomainname,
                              SYS_kexec_file_load,
#if defined(__x86_64__)
                              SYS_iopl,
                              SYS_ioperm,
                              SYS_uselib,
                              SYS_create_module,
#endif
                              SYS_fanotify_init,
                              SYS_nfsservctl})
        program.refuse(static_cast<unsigned>(number));
    // Programs probe for these and have a fallback.
    for (const unsigned number : {kIoUringSetup, kIoUringEnter, kIoUringRegister}) program.refuse(number, kUnknown);
}

/// Allows internet and Unix sockets, and the one that lists interfaces (netlink); not virtual-machine, crypto or radio
/// sockets, and none for crafting packets.
void refuse_odd_sockets(Program& program) {
    constexpr unsigned kTypes = 0xf;  // without SOCK_CLOEXEC and SOCK_NONBLOCK
    program.unless_equal_skip(SYS_socket, 12);
    program.load_argument(0);
    program.if_equal_skip(AF_UNIX, 9);
    program.if_equal_skip(AF_NETLINK, 8);
    program.if_equal_skip(AF_INET, 2);
    program.if_equal_skip(AF_INET6, 1);
    program.answer(SECCOMP_RET_ERRNO | EAFNOSUPPORT);
    program.load_argument(1);
    program.keep_bits(kTypes);
    program.if_equal_skip(SOCK_RAW, 1);
    program.unless_equal_skip(SOCK_PACKET, 1);
    program.answer(kRefuse);
    program.load_number();
}

/// TCP: INET or INET6, and a stream.
void have_sockets_marked(Program& program) {
    constexpr unsigned kTypes = 0xf;
    program.unless_equal_skip(SYS_socket, 8);
    program.load_argument(0);
    program.if_equal_skip(AF_INET, 1);
    program.unless_equal_skip(AF_INET6, 4);
    program.load_argument(1);
    program.keep_bits(kTypes);
    program.unless_equal_skip(SOCK_STREAM, 1);
    program.answer(SECCOMP_RET_USER_NOTIF);
    program.load_number();
}

/// Setting one of the two options that change a socket's priority appears to succeed.
void keep_marks(Program& program) {
    constexpr unsigned kPretend = SECCOMP_RET_ERRNO | 0;
    constexpr std::pair<unsigned, unsigned> kOptions[] = {{SOL_SOCKET, SO_PRIORITY}, {IPPROTO_IP, IP_TOS}};
    for (const auto& [level, option] : kOptions) {
        program.unless_equal_skip(SYS_setsockopt, 6);
        program.load_argument(1);
        program.unless_equal_skip(level, 3);
        program.load_argument(2);
        program.unless_equal_skip(option, 1);
        program.answer(kPretend);
        program.load_number();
    }
}

/// Inside a user namespace a program has every capability, which exposes the kernel's most vulnerable code.
void refuse_namespaces(Program& program) {
    constexpr unsigned kNamespaces =
        CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP;
    program.refuse(SYS_setns);
    // Its flags are in memory, which a filter cannot read; C libraries fall back to clone.
    program.refuse(kClone3, kUnknown);
    for (const unsigned number : {static_cast<unsigned>(SYS_clone), static_cast<unsigned>(SYS_unshare)}) {
        program.unless_equal_skip(number, 4);
        program.load_argument(0);
        program.unless_any_bit_skip(kNamespaces, 1);
        program.answer(kRefuse);
        program.load_number();
    }
}

/// Injecting input into a terminal that is in use.
void refuse_typing(Program& program) {
    program.unless_equal_skip(SYS_ioctl, 4);
    program.load_argument(1);
    program.unless_equal_skip(TIOCSTI, 1);
    program.answer(kRefuse);
    program.load_number();
}

void refuse_when_strict(Program& program) {
    for (const long number :
         {SYS_mount, SYS_umount2, SYS_pivot_root, SYS_chroot, SYS_unshare, SYS_ptrace, SYS_process_vm_readv,
          SYS_process_vm_writev, SYS_kcmp, SYS_personality, SYS_name_to_handle_at})
        program.refuse(static_cast<unsigned>(number));
    for (const unsigned number : kNewMountCalls) program.refuse(number);
    // Memory that belongs to no process and therefore escapes accounting.
    for (const unsigned number :
         {static_cast<unsigned>(SYS_memfd_create), kMemfdSecret, static_cast<unsigned>(SYS_shmget)})
        program.refuse(number, kUnknown);
}

}  // namespace

std::string socket_marks_filter() {
    if (kArchitecture == 0) return {};
    Program program;
    check_architecture(program);
    have_sockets_marked(program);
    keep_marks(program);
    program.answer(SECCOMP_RET_ALLOW);
    return program.bytes();
}

std::string system_call_filter(bool strict) {
    if (kArchitecture == 0) return {};
    Program program;
    check_architecture(program);
    refuse_always(program);
    refuse_odd_sockets(program);
    refuse_typing(program);
    refuse_namespaces(program);
    if (strict) refuse_when_strict(program);
    program.answer(SECCOMP_RET_ALLOW);
    return program.bytes();
}

}  // namespace gantry::gateway::sandbox
