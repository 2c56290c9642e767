#include "gateway/sandbox/mounts.hpp"

#include <sys/mount.h>
#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <set>

namespace gantry::gateway::sandbox {

namespace {

namespace fs = std::filesystem;

constexpr unsigned long kQuiet = MS_NOSUID | MS_NODEV | MS_NOEXEC;
constexpr const char* kSharedMemory = "/dev/shm";

/// Resolves a path; empty when it does not exist.
std::string real(const std::string& path) {
    std::error_code failed;
    const fs::path found = fs::canonical(path, failed);
    return failed ? std::string() : found.string();
}

void cover(process::Confinement& confinement, const std::string& found) {
    if (fs::is_directory(found)) {
        confinement.mount("tmpfs", found, kQuiet, "size=4k,mode=0700");
        confinement.read_only(found);
    } else {
        confinement.bind("/dev/null", found);
    }
}

/// Covers a folder except for the server's home inside it. Meanwhile the home is parked at /proc, which gets a mount of
/// its own at the end anyway.
void cover_all_but_home(process::Confinement& confinement, const std::string& folder, const std::string& home) {
    confinement.bind(home, "/proc");
    confinement.mount("tmpfs", folder, kQuiet, "size=64k,mode=0700");
    for (auto at = home.find('/', folder.size() + 1);; at = home.find('/', at + 1)) {
        confinement.make_folder(home.substr(0, at), 0700);
        if (at == std::string::npos) break;
    }
    confinement.bind("/proc", home);
    // Only the cover itself: the home mounted on it stays writable.
    confinement.read_only_alone(folder);
}

void cover_secrets(process::Confinement& confinement, const Rules& rules) {
    const std::string home = real(rules.home);
    std::set<std::string> found;
    for (const std::string& path : rules.hide) found.insert(real(path));
    found.erase("");
    // Sorted, so the first that contains the home is the outermost.
    const auto around = std::ranges::find_if(
        found, [&home](const std::string& path) { return home != path && !home.empty() && is_in(home, path); });
    const std::string outer = around == found.end() ? std::string() : *around;
    // Anything inside a covered folder is covered with it, and no longer reachable as a path.
    const auto is_inside_another = [&found](const std::string& path) {
        return std::ranges::any_of(found,
                                   [&path](const std::string& other) { return other != path && is_in(path, other); });
    };
    for (const std::string& path : found)
        if (path != outer && !is_inside_another(path)) cover(confinement, path);
    if (!outer.empty()) cover_all_but_home(confinement, outer, home);
}

/// A mount point can be neither renamed nor removed in this namespace, not even by root. Binding a folder onto itself
/// changes nothing else, except that files are copied rather than moved across it.
void fix_folders(process::Confinement& confinement, const Rules& rules) {
    for (const std::string& folder : rules.fixed)
        if (real(folder) == folder) confinement.bind(folder, folder);
}

/// All binds come first: a bind of a read-only mount would be read-only too.
void lock_folders(process::Confinement& confinement, const Rules& rules) {
    std::set<std::string> startup;
    for (const std::string& path : rules.read_only) startup.insert(real(path));
    startup.erase("");
    for (const std::string& path : startup) confinement.bind(path, path);
    for (const std::string& path : rules.open) {
        const bool mounted = std::ranges::find(rules.fixed, path) != rules.fixed.end();
        if (!mounted && real(path) == path) confinement.bind(path, path);
    }
    for (const std::string& folder : rules.locked)
        if (real(folder) == folder) confinement.read_only_alone(folder);
    for (const std::string& path : startup) confinement.read_only(path);
}

/// Root owns the files of disks and memory, and needs no capability to open what it owns.
void keep_root_from_devices(process::Confinement& confinement, const std::string& at) {
    confinement.mount("tmpfs", at, MS_NOSUID | MS_NOEXEC, "size=64k,mode=0755");
    for (const char* name : {"null", "zero", "full", "random", "urandom", "tty", "ptmx"}) {
        const std::string device = std::string("/dev/") + name;
        if (!fs::exists(device)) continue;
        confinement.make_file(at + '/' + name).bind(device, at + '/' + name);
    }
    if (fs::is_directory(kSharedMemory)) confinement.make_folder(at + "/shm", 0755);
    for (const char* name : {"pts", "dri"}) {
        const std::string folder = std::string("/dev/") + name;
        if (!fs::is_directory(folder)) continue;
        confinement.make_folder(at + '/' + name, 0755).bind(folder, at + '/' + name);
    }
    confinement.link("/proc/self/fd", at + "/fd");
    confinement.link("/proc/self/fd/0", at + "/stdin").link("/proc/self/fd/1", at + "/stdout");
    confinement.link("/proc/self/fd/2", at + "/stderr");
    confinement.bind(at, "/dev");
    confinement.bind("/sys", "/sys").read_only("/sys");
}

/// Files there are memory that belongs to no process and outlives them all: a private tmpfs disappears with the server
/// and is bounded by its limit.
void own_shared_memory(process::Confinement& confinement, const Rules& rules) {
    if (!fs::is_directory(kSharedMemory)) return;
    std::string options = "mode=1777";
    if (rules.memory != 0) options += ",size=" + std::to_string(rules.memory);
    confinement.mount("tmpfs", kSharedMemory, MS_NOSUID | MS_NODEV, options);
}

}  // namespace

void scatter_pids(process::Confinement& confinement, const std::string& proc) {
    constexpr unsigned kFirst = 1000, kRange = 30'000;
    // Kernels without checkpoint/restore lack this file, and then pids are small.
    if (access("/proc/sys/kernel/ns_last_pid", F_OK) != 0) return;
    unsigned number = 0;
    if (getrandom(&number, sizeof number, 0) != sizeof number) return;
    confinement.write_file(proc + "/sys/kernel/ns_last_pid", std::to_string(kFirst + number % kRange));
}

void add_mounts(process::Confinement& confinement, const Rules& rules, const std::string& at) {
    confinement.share_no_mounts();
    if (geteuid() == 0) keep_root_from_devices(confinement, at);
    own_shared_memory(confinement, rules);
    fix_folders(confinement, rules);
    lock_folders(confinement, rules);
    cover_secrets(confinement, rules);
    confinement.mount("proc", "/proc", kQuiet, "");
    scatter_pids(confinement, "/proc");
    // Kernel settings, which root can change without any capability.
    confinement.bind("/proc/sys", "/proc/sys").read_only("/proc/sys");
    if (fs::exists("/proc/sysrq-trigger")) confinement.bind("/dev/null", "/proc/sysrq-trigger");
}

}  // namespace gantry::gateway::sandbox
