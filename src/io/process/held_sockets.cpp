#include "io/process/held_sockets.hpp"

#include <charconv>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <unordered_map>

namespace gantry::process {
namespace {

namespace fs = std::filesystem;

/// Zero if the process is gone.
int parent_of(int pid) {
    std::string text;
    std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
    std::getline(file, text);
    // "pid (name) state ppid …", where the name may itself contain parentheses.
    const auto name_end = text.rfind(')');
    if (name_end == std::string::npos || name_end + 4 >= text.size()) return 0;
    int parent = 0;
    std::from_chars(text.data() + name_end + 4, text.data() + text.size(), parent);
    return parent;
}

std::unordered_map<int, int> all_parents() {
    std::unordered_map<int, int> parents;
    std::error_code failed;
    for (fs::directory_iterator entry("/proc", failed), end; !failed && entry != end; entry.increment(failed)) {
        const std::string name = entry->path().filename();
        int pid = 0;
        if (std::from_chars(name.data(), name.data() + name.size(), pid).ptr != name.data() + name.size()) continue;
        parents[pid] = parent_of(pid);
    }
    return parents;
}

bool is_below(int pid, int ancestor, const std::unordered_map<int, int>& parents) {
    // Pids may be reused while the table is read, so it may contain a cycle.
    for (std::size_t steps = 0; steps < parents.size(); ++steps) {
        const auto parent = parents.find(pid);
        if (parent == parents.end() || parent->second == 0) return false;
        if (parent->second == ancestor) return true;
        pid = parent->second;
    }
    return false;
}

}  // namespace

std::set<std::uint64_t> sockets_of(int pid) {
    constexpr std::string_view kSocket = "socket:[";
    std::set<std::uint64_t> inodes;
    std::error_code unreadable;
    for (fs::directory_iterator file("/proc/" + std::to_string(pid) + "/fd", unreadable), end;
         !unreadable && file != end; file.increment(unreadable)) {
        std::error_code closed;
        const std::string target = fs::read_symlink(file->path(), closed).string();
        if (closed || !target.starts_with(kSocket)) continue;
        std::uint64_t inode = 0;
        std::from_chars(target.data() + kSocket.size(), target.data() + target.size(), inode);
        inodes.insert(inode);
    }
    return inodes;
}

std::set<std::uint64_t> sockets_of_tree(int child) {
    const int reaper = parent_of(child);
    if (reaper == 0) return {};
    std::set<std::uint64_t> inodes;
    const auto parents = all_parents();
    for (const auto& [pid, parent] : parents)
        if (is_below(pid, reaper, parents)) inodes.merge(sockets_of(pid));
    return inodes;
}

}  // namespace gantry::process
