#include "gateway/sandbox/cgroup.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>

#include "base/try.hpp"
#include "io/fd.hpp"

namespace gantry::gateway::sandbox {

namespace {

std::string read_all(const std::string& file) {
    std::ifstream in(file);
    std::ostringstream all;
    all << in.rdbuf();
    return all.str();
}

Result<void> write_to(const std::string& file, const std::string& text) {
    const Fd fd(::open(file.c_str(), O_WRONLY | O_CLOEXEC));
    if (fd && ::write(fd.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size())) return {};
    return fail(ErrorCode::kUnsupported, file + ": " + std::generic_category().message(errno));
}

Result<void> make_folder(const std::string& folder) {
    if (::mkdir(folder.c_str(), 0755) == 0 || errno == EEXIST) return {};
    return fail(ErrorCode::kUnsupported, folder + ": " + std::generic_category().message(errno));
}

bool has_word(const std::string& text, std::string_view wanted) {
    std::istringstream words(text);
    for (std::string word; words >> word;)
        if (word == wanted) return true;
    return false;
}

/// Mount point of cgroup v2; empty: not mounted.
std::string mount_point() {
    std::ifstream mounts("/proc/self/mounts");
    for (std::string line; std::getline(mounts, line);) {
        std::istringstream words(line);
        std::string device, where, type;
        words >> device >> where >> type;
        if (type == "cgroup2") return where;
    }
    return {};
}

std::string own_path(const std::string& self) {
    std::istringstream lines(self);
    for (std::string line; std::getline(lines, line);)
        if (line.starts_with("0::")) return line.substr(3);
    return {};
}

/// Removes cgroups of killed gateways: "gantry.NAME.PID.NUMBER". One in use cannot be removed anyway.
void remove_left_over(const std::string& folder) {
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
        const std::string name = entry.path().filename().string();
        const auto number = name.rfind('.');
        const auto pid = number == 0 || number == std::string::npos ? number : name.rfind('.', number - 1);
        if (!name.starts_with("gantry.") || pid == std::string::npos || pid < std::string_view("gantry").size())
            continue;
        const int owner = std::atoi(name.c_str() + pid + 1);
        if (owner > 0 && ::kill(owner, 0) != 0 && errno == ESRCH) ::rmdir(entry.path().c_str());
    }
}

}  // namespace

Result<Cgroup> Cgroup::find() {
    const std::string mount = mount_point();
    if (mount.empty()) return fail(ErrorCode::kUnsupported, "cgroup v2 is not mounted");
    return find_in(mount, read_all("/proc/self/cgroup"));
}

Result<Cgroup> Cgroup::find_in(const std::string& mount, const std::string& self) {
    std::string folder = mount + own_path(self);
    while (folder.ends_with('/')) folder.pop_back();
    // prepare() has run before.
    if (constexpr std::string_view kLeaf = "/gantry.self"; folder.ends_with(kLeaf))
        folder.resize(folder.size() - kLeaf.size());
    const std::string controllers = read_all(folder + "/cgroup.controllers");
    for (const std::string_view wanted : {"memory", "pids"})
        if (!has_word(controllers, wanted))
            return fail(ErrorCode::kUnsupported, "no " + std::string(wanted) + " controller in our group");
    if (::access(folder.c_str(), W_OK) != 0 || ::access((folder + "/cgroup.subtree_control").c_str(), W_OK) != 0 ||
        ::access((folder + "/cgroup.procs").c_str(), W_OK) != 0)
        return fail(ErrorCode::kUnsupported, "our group is not delegated to us (systemd: Delegate=yes)");
    return Cgroup(std::move(folder));
}

Result<void> Cgroup::prepare() const {
    remove_left_over(folder_);
    const std::string active = read_all(folder_ + "/cgroup.subtree_control");
    if (has_word(active, "memory") && has_word(active, "pids")) return {};
    GANTRY_CHECK(make_folder(folder_ + "/gantry.self"));
    GANTRY_CHECK(write_to(folder_ + "/gantry.self/cgroup.procs", std::to_string(getpid())));
    return write_to(folder_ + "/cgroup.subtree_control", "+memory +pids");
}

Result<std::shared_ptr<const std::string>> Cgroup::make(const std::string& name, std::size_t memory,
                                                        std::size_t tasks) const {
    GANTRY_CHECK(prepare());
    static unsigned number = 0;
    const std::string folder =
        folder_ + "/gantry." + name + "." + std::to_string(getpid()) + "." + std::to_string(++number);
    GANTRY_CHECK(make_folder(folder));
    std::shared_ptr<const std::string> group(new std::string(folder), [](const std::string* gone) {
        ::rmdir(gone->c_str());
        delete gone;
    });
    if (memory != 0) {
        GANTRY_CHECK(write_to(folder + "/memory.max", std::to_string(memory)));
        // Otherwise memory beyond the limit would go to the machine's swap.
        (void)write_to(folder + "/memory.swap.max", "0");
    }
    if (tasks != 0) GANTRY_CHECK(write_to(folder + "/pids.max", std::to_string(tasks)));
    return group;
}

}  // namespace gantry::gateway::sandbox
