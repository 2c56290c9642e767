// A misbehaving server: each mode tries one attack and prints the result in one line. For the tests of this folder.

#include <arpa/inet.h>
#include <dirent.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

extern char** environ;

/// The leak checker traces its own process, which the sandbox refuses.
extern "C" const char* __asan_default_options() {
    return "detect_leaks=0";
}

namespace {

int say(const std::string& text) {
    std::puts(text.c_str());
    std::fflush(stdout);
    return 0;
}

std::string outcome(long result) {
    return result >= 0 ? "done" : std::string("refused: ") + strerrorname_np(errno);
}

int read_file(const char* path) {
    const int fd = open(path, O_RDONLY);
    if (fd < 0) return say(outcome(fd));
    char text[256];
    const ssize_t size = read(fd, text, sizeof text);
    return size < 0 ? say(outcome(size)) : say("read " + std::string(text, static_cast<std::size_t>(size)));
}

int write_file(const char* path) {
    const int fd = open(path, O_WRONLY | O_CREAT, 0600);
    return say(outcome(fd < 0 ? fd : write(fd, "x", 1)));
}

/// Puts a file of its own under a name the gateway reads, by every way to replace a name.
int swap(std::string_view way, const char* path, const char* other) {
    if (way == "rename") return say(outcome(rename(path, other)));
    if (way == "exchange") return say(outcome(syscall(SYS_renameat2, AT_FDCWD, path, AT_FDCWD, other, 2)));
    if (way == "remove") return say(outcome(remove(path)));
    if (way == "symlink") return say(outcome(remove(path) != 0 ? -1 : symlink(other, path)));
    if (way == "bind") return say(outcome(mount(other, path, nullptr, MS_BIND, nullptr)));
    if (way == "unmount") return say(outcome(umount2(path, MNT_DETACH)));
    return 2;
}

/// A second name for the file, through which to write it.
int hard_link(const char* path, const char* other) {
    if (link(path, other) != 0) return say(outcome(-1));
    const int fd = open(other, O_WRONLY | O_TRUNC);
    return say(outcome(fd < 0 ? fd : write(fd, "planted", 7)));
}

/// With every capability, in namespaces of its own.
int swap_with_rights(std::string_view way, const char* path, const char* other) {
    if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0 && unshare(CLONE_NEWNS) != 0) return say(outcome(-1));
    umount2(path, MNT_DETACH);
    return swap(way, path, other);
}

/// Watches the folder for a read, in order to swap the file at that moment.
int lie_in_wait(const char* folder, const char* other) {
    const int events = inotify_init1(IN_CLOEXEC);
    if (inotify_add_watch(events, folder, IN_OPEN | IN_ACCESS | IN_MODIFY) < 0) return say(outcome(-1));
    const std::string mark = std::string(folder) + "/touched";
    close(open(mark.c_str(), O_WRONLY | O_CREAT, 0600));
    return say(outcome(rename(folder, other)));
}

/// The complete attack: another folder under the name of the one that is read, with its own configuration, and a change
/// in the old one to trigger its watcher.
int plant(const char* folder, const char* elsewhere, std::string_view configuration) {
    if (rename(folder, elsewhere) != 0) return say(outcome(-1));
    if (mkdir(folder, 0700) != 0) return say(outcome(-1));
    std::ofstream(std::string(folder) + "/gantry.yaml") << configuration;
    std::ofstream(std::string(elsewhere) + "/touched") << "x";
    return say("done");
}

int list_folder(const char* path) {
    DIR* folder = opendir(path);
    if (!folder) return say(outcome(-1));
    std::size_t count = 0;
    while (const dirent* entry = readdir(folder)) count += entry->d_name[0] != '.';
    return say(std::to_string(count) + " entries");
}

int connect_to(const char* address, const char* port) {
    sockaddr_in target{};
    target.sin_family = AF_INET;
    target.sin_port = htons(static_cast<std::uint16_t>(std::atoi(port)));
    inet_pton(AF_INET, address, &target.sin_addr);
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    return say(outcome(fd < 0 ? fd : connect(fd, reinterpret_cast<sockaddr*>(&target), sizeof target)));
}

int connect_local(const char* path) {
    sockaddr_un target{};
    target.sun_family = AF_UNIX;
    std::strncpy(target.sun_path, path, sizeof target.sun_path - 1);
    const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    return say(outcome(fd < 0 ? fd : connect(fd, reinterpret_cast<sockaddr*>(&target), sizeof target)));
}

int connect_six(const char* port) {
    sockaddr_in6 target{};
    target.sin6_family = AF_INET6;
    target.sin6_port = htons(static_cast<std::uint16_t>(std::atoi(port)));
    target.sin6_addr = in6addr_loopback;
    const int fd = socket(AF_INET6, SOCK_STREAM, 0);
    return say(outcome(fd < 0 ? fd : connect(fd, reinterpret_cast<sockaddr*>(&target), sizeof target)));
}

/// Datagrams need no connection; only the listener can tell whether one was sent.
int send_datagram(const char* address, const char* port) {
    sockaddr_in target{};
    target.sin_family = AF_INET;
    target.sin_port = htons(static_cast<std::uint16_t>(std::atoi(port)));
    inet_pton(AF_INET, address, &target.sin_addr);
    const int fd = socket(AF_INET, SOCK_DGRAM, 0);
    return say(outcome(fd < 0 ? fd : sendto(fd, "x", 1, 0, reinterpret_cast<sockaddr*>(&target), sizeof target)));
}

/// An abstract socket name, in no folder: only a network namespace hides it.
int connect_abstract(std::string_view name) {
    sockaddr_un target{};
    target.sun_family = AF_UNIX;
    name.copy(target.sun_path + 1, sizeof target.sun_path - 1);
    const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
    const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    return say(outcome(fd < 0 ? fd : connect(fd, reinterpret_cast<sockaddr*>(&target), size)));
}

/// Connects to this machine while trying not to be recognised, requests `path`, and prints the first line of the
/// answer. Holds the connection until the answer has arrived, except where disconnecting at once is the trick.
int call_home(const char* port, std::string_view way, const char* path) {
    sockaddr_in target{};
    target.sin_family = AF_INET;
    target.sin_port = htons(static_cast<std::uint16_t>(std::atoi(port)));
    target.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    constexpr int kMultipath = 262;  // IPPROTO_MPTCP, the default of listeners in Go
    int fd = socket(AF_INET, SOCK_STREAM, way == "multipath" ? kMultipath : 0);
    if (fd < 0) return say(outcome(fd));
    const int none = 0, delay = 0x10;
    if (way == "priority") setsockopt(fd, SOL_SOCKET, SO_PRIORITY, &none, sizeof none);
    if (way == "service") setsockopt(fd, IPPROTO_IP, IP_TOS, &delay, sizeof delay);
    if (connect(fd, reinterpret_cast<sockaddr*>(&target), sizeof target) != 0) return say(outcome(-1));
    const std::string request =
        "GET " + std::string(path) + " HTTP/1.1\r\nHost: localhost:" + port + "\r\nConnection: close\r\n\r\n";
    if (write(fd, request.data(), request.size()) < 0) return say(outcome(-1));
    if (way == "hang-up") {
        close(fd);
        return say("done");
    }
    if (way == "in-flight") {
        // No process holds it while it waits to be received.
        int pair[2];
        alignas(cmsghdr) char extra[CMSG_SPACE(sizeof(int))] = {};
        char byte = 'x';
        iovec part{&byte, 1};
        msghdr packet{};
        packet.msg_iov = &part, packet.msg_iovlen = 1;
        packet.msg_control = extra, packet.msg_controllen = sizeof extra;
        auto* head = CMSG_FIRSTHDR(&packet);
        head->cmsg_level = SOL_SOCKET, head->cmsg_type = SCM_RIGHTS, head->cmsg_len = CMSG_LEN(sizeof(int));
        std::memcpy(CMSG_DATA(head), &fd, sizeof fd);
        if (socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) != 0 || sendmsg(pair[0], &packet, 0) < 0) return say(outcome(-1));
        close(fd);
        usleep(300'000);  // long enough for the gateway to look up the owner
        packet.msg_controllen = sizeof extra;
        if (recvmsg(pair[1], &packet, 0) < 0) return say(outcome(-1));
        std::memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&packet)), sizeof fd);
    }
    std::string answer;
    char buffer[4096];
    for (ssize_t size; answer.find('\n') == std::string::npos && (size = read(fd, buffer, sizeof buffer)) > 0;)
        answer.append(buffer, static_cast<std::size_t>(size));
    return say(answer.substr(0, answer.find('\r')));
}

/// One request through the proxy named in the environment, as a library would make it.
int through_proxy(const char* first_line) {
    const char* proxy = std::getenv("HTTPS_PROXY");
    if (proxy == nullptr) return say("no proxy");
    const std::string_view text(proxy);
    const auto colon = text.rfind(':');
    sockaddr_in target{};
    target.sin_family = AF_INET;
    target.sin_port = htons(static_cast<std::uint16_t>(std::atoi(std::string(text.substr(colon + 1)).c_str())));
    target.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(fd, reinterpret_cast<sockaddr*>(&target), sizeof target) != 0) return say(outcome(-1));
    std::string request = std::string(first_line) + "\r\nHost: x\r\n\r\n";
    if (std::string_view(first_line).starts_with("CONNECT")) request += "inside the tunnel\n";
    if (write(fd, request.data(), request.size()) < 0) return say(outcome(-1));
    shutdown(fd, SHUT_WR);
    std::string answer;
    char buffer[4096];
    for (ssize_t size; (size = read(fd, buffer, sizeof buffer)) > 0;)
        answer.append(buffer, static_cast<std::size_t>(size));
    for (char& c : answer)
        if (c == '\r' || c == '\n') c = ' ';
    return say(answer);
}

/// Processes started by others.
int strangers() {
    DIR* folder = opendir("/proc");
    if (!folder) return say(outcome(-1));
    int count = 0;
    while (const dirent* entry = readdir(folder)) {
        const int pid = std::atoi(entry->d_name);
        count += pid > 1 && pid != getpid() && pid != getppid();
    }
    return say(std::to_string(count) + " strangers");
}

/// Processes that can be signalled although no directory lists them.
int reachable_by_number() {
    std::ifstream most("/proc/sys/kernel/pid_max");
    int last = 4'194'304;
    most >> last;
    int count = 0;
    for (int pid = 2; pid <= last; ++pid) {
        if (pid == getpid() || pid == getppid()) continue;
        count += kill(pid, 0) == 0 || errno != ESRCH;
    }
    return say(std::to_string(count) + " strangers");
}

/// Other processes whose command line contains `marker`.
int see_command(std::string_view marker) {
    DIR* folder = opendir("/proc");
    if (!folder) return say(outcome(-1));
    int count = 0;
    while (const dirent* entry = readdir(folder)) {
        const int pid = std::atoi(entry->d_name);
        if (pid <= 0 || pid == getpid()) continue;
        std::ifstream file("/proc/" + std::string(entry->d_name) + "/cmdline");
        const std::string line(std::istreambuf_iterator<char>(file), {});
        count += line.find(marker) != std::string::npos;
    }
    return say("sees " + std::to_string(count));
}

/// Every child forks children until there is no room. When no process forks any more, reports whether a fork was
/// refused. Each process holds `fifo` open.
int doubling_bomb(const char* fifo) {
    const int held = *fifo == '\0' ? 0 : open(fifo, O_WRONLY);
    int refused[2];
    int forking[2];  // the write end is open in every process that still forks
    if (held < 0 || pipe(refused) != 0 || pipe(forking) != 0) return say(outcome(-1));
    if (held > 0 && write(held, "b", 1) != 1) return say(outcome(-1));
    constexpr int kDoublings = 12;  // 4096 of them
    const pid_t first = getpid();
    for (int round = 0; round < kDoublings; ++round) {
        const pid_t child = fork();
        if (child == 0) {
            for (const int ignored : {SIGTERM, SIGHUP, SIGINT}) signal(ignored, SIG_IGN);
            setsid();
        }
        if (child < 0 && write(refused[1], "x", 1) < 0) _exit(1);
    }
    close(forking[1]);
    if (getpid() != first)
        for (;;) pause();
    // A process that still forks would take the place of this one.
    pollfd quiet{.fd = forking[0], .events = POLLIN, .revents = 0};
    poll(&quiet, 1, 30'000);
    // A process that was not refused may still be killed: the limit's enforcer has time to notice.
    pollfd told{.fd = refused[0], .events = POLLIN, .revents = 0};
    return say(poll(&told, 1, 30'000) == 1 ? "stopped" : "made them all");
}

int fork_bomb(int wanted) {
    for (int made = 0; made < wanted; ++made) {
        const pid_t child = fork();
        if (child == 0)
            for (;;) pause();
        if (child < 0) return say("stopped at " + std::to_string(made) + ": " + strerrorname_np(errno));
    }
    // Leave the limit's enforcer time to notice.
    char byte;
    while (read(0, &byte, 1) > 0) {}
    return say("made " + std::to_string(wanted));
}

int eat_memory(std::size_t megabytes) {
    for (std::size_t eaten = 0; eaten < megabytes; ++eaten) {
        void* piece = mmap(nullptr, 1u << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (piece == MAP_FAILED) return say("stopped at " + std::to_string(eaten) + " MB");
        std::memset(piece, 1, 1u << 20);
    }
    return say("ate " + std::to_string(megabytes) + " MB");
}

/// No single process is large, but the family is.
int eat_as_family(int children, std::size_t megabytes) {
    for (int i = 0; i < children; ++i) {
        const pid_t child = fork();
        if (child < 0) return say(outcome(-1));
        if (child > 0) continue;
        for (std::size_t eaten = 0; eaten < megabytes; ++eaten) {
            void* piece = mmap(nullptr, 1u << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
            if (piece == MAP_FAILED) _exit(1);
            std::memset(piece, 1, 1u << 20);
        }
        for (;;) pause();
    }
    // Leave the limit's enforcer time to notice.
    char byte;
    while (read(0, &byte, 1) > 0) {}
    return say("ate it");
}

/// Memory that belongs to no process: files in a memory-backed folder.
int fill_folder(const char* path, std::size_t megabytes) {
    const int fd = open(path, O_WRONLY | O_CREAT, 0600);
    if (fd < 0) return say(outcome(fd));
    const std::string piece(1u << 20, 'x');
    for (std::size_t filled = 0; filled < megabytes; ++filled) {
        const ssize_t size = write(fd, piece.data(), piece.size());
        if (size < static_cast<ssize_t>(piece.size())) return say("stopped at " + std::to_string(filled) + " MB");
    }
    return say("filled " + std::to_string(megabytes) + " MB");
}

/// A grandchild in its own session that holds `fifo` open and ignores every signal that can be ignored.
int leave_grandchild(const char* fifo) {
    const int fd = open(fifo, O_WRONLY);
    int ready[2];
    if (fd < 0 || pipe(ready) != 0) return say(outcome(-1));
    if (fork() == 0) {
        setsid();
        if (fork() == 0) {
            setsid();
            for (const int ignored : {SIGTERM, SIGHUP, SIGINT}) signal(ignored, SIG_IGN);
            for (int standard = 0; standard <= 2; ++standard) close(standard);
            if (write(fd, "r", 1) != 1) _exit(1);
            for (const int end : ready) close(end);
            for (;;) pause();
        }
        _exit(0);
    }
    close(fd);
    close(ready[1]);
    char byte;
    while (read(ready[0], &byte, 1) > 0) {}
    wait(nullptr);
    return say("left");
}

int call_kernel(std::string_view what) {
    if (what == "keyctl") return say(outcome(syscall(SYS_keyctl, 0, -3, 0)));
    if (what == "memfd") return say(outcome(memfd_create("x", 0)));
    if (what == "bpf") return say(outcome(syscall(SYS_bpf, 0, nullptr, 0)));
    if (what == "io_uring") return say(outcome(syscall(425, 1, nullptr)));
    if (what == "unshare") return say(outcome(unshare(CLONE_NEWUSER)));
    if (what == "clone") {
        const long pid = syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, nullptr, nullptr, nullptr, nullptr);
        if (pid == 0) _exit(0);
        return say(outcome(pid));
    }
    if (what == "clone3") return say(outcome(syscall(435, nullptr, 0)));
    if (what == "raw") return say(outcome(socket(AF_INET, SOCK_RAW | SOCK_CLOEXEC, IPPROTO_ICMP)));
    if (what == "raw-six") return say(outcome(socket(AF_INET6, SOCK_RAW, IPPROTO_ICMPV6)));
    if (what == "plain") return say(outcome(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)));
    if (what == "mount") return say(outcome(mount("tmpfs", "/tmp", "tmpfs", 0, nullptr)));
    if (what == "ptrace") return say(outcome(ptrace(PTRACE_TRACEME, 0, nullptr, nullptr)));
    if (what == "vsock") return say(outcome(socket(AF_VSOCK, SOCK_STREAM, 0)));
    if (what == "packet") return say(outcome(socket(AF_PACKET, SOCK_RAW, 0)));
    if (what == "netlink") return say(outcome(socket(AF_NETLINK, SOCK_RAW, 0)));
    if (what == "privileges")
        return say(outcome(prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 ? (errno = EPERM, -1) : 0));
    return 2;
}

int print_capabilities() {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);)
        if (line.starts_with("CapEff") || line.starts_with("CapBnd")) say(line);
    return 0;
}

int print_environment() {
    for (char** entry = environ; *entry; ++entry) say(*entry);
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    const std::string_view mode = argc > 1 ? argv[1] : "";
    // Otherwise the path would be named on the command line, which grants access to it.
    for (int i = 2; i < argc; ++i)
        if (std::string_view(argv[i]).starts_with("path:")) argv[i] += 5;
    const char* argument = argc > 2 ? argv[2] : "";
    const char* other = argc > 3 ? argv[3] : "";
    if (mode == "swap") return swap(argument, other, argc > 4 ? argv[4] : "");
    if (mode == "swap-with-rights") return swap_with_rights(argument, other, argc > 4 ? argv[4] : "");
    if (mode == "plant") return plant(argument, other, argc > 4 ? argv[4] : "");
    if (mode == "hard-link") return hard_link(argument, other);
    if (mode == "lie-in-wait") return lie_in_wait(argument, other);
    if (mode == "read") return read_file(argument);
    if (mode == "write") return write_file(argument);
    if (mode == "list") return list_folder(argument);
    if (mode == "connect") return connect_to(argument, argc > 3 ? argv[3] : "80");
    if (mode == "call-home") return call_home(argument, other, argc > 4 ? argv[4] : "/health");
    if (mode == "connect-local") return connect_local(argument);
    if (mode == "connect-six") return connect_six(argument);
    if (mode == "datagram") return send_datagram(argument, argc > 3 ? argv[3] : "53");
    if (mode == "connect-abstract") return connect_abstract(argument);
    if (mode == "proxy") return through_proxy(argument);
    if (mode == "strangers") return strangers();
    if (mode == "numbers") return reachable_by_number();
    if (mode == "sees") return see_command(argument);
    if (mode == "parent") return say(std::to_string(getppid()));
    if (mode == "fork") return fork_bomb(std::atoi(argument));
    if (mode == "bomb") return doubling_bomb(argument);
    if (mode == "family") return eat_as_family(std::atoi(argument), argc > 3 ? std::strtoul(argv[3], nullptr, 10) : 1);
    if (mode == "fill") return fill_folder(argument, argc > 3 ? std::strtoul(argv[3], nullptr, 10) : 1);
    if (mode == "memory") return eat_memory(std::strtoul(argument, nullptr, 10));
    if (mode == "grandchild") return leave_grandchild(argument);
    if (mode == "keep") {
        leave_grandchild(argument);
        char byte;
        while (read(0, &byte, 1) > 0) {}
        return 0;
    }
    if (mode == "kernel") return call_kernel(argument);
    if (mode == "capabilities") return print_capabilities();
    if (mode == "environment") return print_environment();
    if (mode == "stay") {
        say("here");
        char byte;
        while (read(0, &byte, 1) > 0) {}
        return 0;
    }
    return 2;
}
