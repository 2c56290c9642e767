#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <tuple>

#include "gateway/sandbox/mounts.hpp"

namespace gantry::gateway::sandbox {

namespace {

namespace fs = std::filesystem;

constexpr unsigned long kNoSetuid = MS_NOSUID | MS_NODEV;
// Symbolic link loops end here, as in the kernel.
constexpr int kMaxLinks = 40;

// In ascending precedence, for rules about the same path.
enum class Sight : std::uint8_t {
    kRead,
    kWrite,
    kFixed,   ///< like its surroundings, but cannot be renamed
    kLocked,  ///< readable where it would be writable
    kOpen,    ///< writable, inside a locked folder
    kHidden,
};

/// Builds a root file system in an empty folder, path by path, parents before children.
class Builder {
public:
    Builder(process::Confinement& confinement, std::string at) : confinement_(confinement), at_(std::move(at)) {}

    void add(const std::string& path, Sight sight) {
        switch (sight) {
            case Sight::kRead:
            case Sight::kWrite: return show(path, sight);
            case Sight::kFixed: return mount_again(path, sight_of(path));
            case Sight::kLocked:
                if (sight_of(path) != Sight::kWrite) return;
                locked_.insert(path);
                return mount_again(path, Sight::kRead);
            case Sight::kOpen:
                if (is_locked(path)) mount_again(path, Sight::kWrite);
                return;
            case Sight::kHidden: return hide(path);
        }
    }
    void finish() {
        confinement_.read_only(at_);
        for (const auto& [path, sight] : rules_)
            if (sight == Sight::kWrite) confinement_.writable(at_ + path);
    }
    void fresh(std::string_view type, const std::string& path, unsigned long flags, std::string_view options) {
        folder(path);
        confinement_.mount(type, at_ + path, flags, options);
    }
    void link(const std::string& says, const std::string& path) {
        if (made_.insert(path).second) confinement_.link(says, at_ + path);
    }
    void writable(const std::string& path) { confinement_.writable(at_ + path); }

private:
    /// The rule of the nearest ancestor; hidden where there is none.
    Sight sight_of(std::string path) const {
        for (;; path.resize(path.rfind('/'))) {
            if (const auto rule = rules_.find(path); rule != rules_.end()) return rule->second;
            if (path.find_last_of('/') == 0 || path.empty()) return Sight::kHidden;
        }
    }
    /// Binds an existing path onto itself.
    void mount_again(const std::string& path, Sight sight) {
        if (sight == Sight::kHidden) return;
        confinement_.bind(path, at_ + path);
        rules_[path] = sight;
    }
    bool is_locked(std::string path) const {
        for (; path.size() > 1; path.resize(path.rfind('/')))
            if (locked_.contains(path)) return true;
        return false;
    }
    bool is_there(const std::string& path) const { return sight_of(path) != Sight::kHidden; }

    /// Makes `path` visible in the new root, with the symbolic links leading to it.
    void show(const std::string& path, Sight sight) {
        const std::string found = walk(path, kMaxLinks);
        if (found.empty()) return;
        const Sight now = sight_of(found);
        if (now == sight || now == Sight::kWrite) return;
        if (now == Sight::kHidden) make_target(found);
        confinement_.bind(found, at_ + found);
        rules_[found] = sight;
    }
    /// Covers a hidden path inside a visible one.
    void hide(const std::string& path) {
        std::error_code failed;
        const std::string found = fs::canonical(path, failed).string();
        if (failed || !is_there(found)) return;
        if (fs::is_directory(found))
            confinement_.mount("tmpfs", at_ + found, kNoSetuid | MS_NOEXEC, "size=64k,mode=0700");
        else
            confinement_.bind("/dev/null", at_ + found);
        rules_[found] = Sight::kHidden;
    }

    /// Resolves `path`, creating its folders and links on the way. Empty: it leads nowhere.
    std::string walk(const std::string& path, int links) {
        std::string at;
        for (auto begin = path.find_first_not_of('/'); begin != std::string::npos;) {
            const auto end = path.find('/', begin);
            const std::string next = at + '/' + path.substr(begin, end - begin);
            struct stat info{};
            if (lstat(next.c_str(), &info) != 0) return {};
            if (S_ISLNK(info.st_mode)) {
                return links == 0 ? "" : follow(at, next, end == std::string::npos ? "" : path.substr(end), links);
            }
            const auto following = end == std::string::npos ? end : path.find_first_not_of('/', end);
            if (following != std::string::npos && !is_there(next)) folder(next);
            at = next;
            begin = following;
        }
        return at;
    }
    std::string follow(const std::string& folder, const std::string& link_at, const std::string& rest, int links) {
        std::error_code failed;
        const fs::path says = fs::read_symlink(link_at, failed);
        if (failed) return {};
        if (!is_there(link_at)) link(says.string(), link_at);
        return walk((fs::path(folder + "/") / says).lexically_normal().string() + rest, links - 1);
    }
    void folder(const std::string& path) {
        if (made_.insert(path).second) confinement_.make_folder(at_ + path, 0755);
    }
    void make_target(const std::string& path) {
        if (fs::is_directory(path))
            folder(path);
        else if (made_.insert(path).second)
            confinement_.make_file(at_ + path);
    }

    process::Confinement& confinement_;
    std::string at_;
    std::map<std::string, Sight> rules_;  // mounted paths, resolved
    std::set<std::string> made_;
    std::set<std::string> locked_;
};

void add_devices(Builder& root) {
    root.fresh("tmpfs", "/dev", MS_NOSUID | MS_NOEXEC, "size=64k,mode=0755");
    for (const char* device : {"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"})
        root.add(device, Sight::kRead);
    root.link("/proc/self/fd", "/dev/fd");
    root.link("/proc/self/fd/0", "/dev/stdin");
    root.link("/proc/self/fd/1", "/dev/stdout");
    root.link("/proc/self/fd/2", "/dev/stderr");
    root.fresh("tmpfs", "/dev/shm", kNoSetuid | MS_NOEXEC, "size=64m,mode=1777");
}

/// Parents before children, by resolved path.
std::vector<std::tuple<std::string, Sight, std::string>> sorted(const Rules& rules) {
    std::vector<std::tuple<std::string, Sight, std::string>> all;
    const auto add = [&all](const std::vector<std::string>& paths, Sight sight) {
        for (const std::string& path : paths) {
            std::error_code failed;
            const std::string found = fs::canonical(path, failed).string();
            if (!failed) all.emplace_back(found, sight, path);
        }
    };
    add(rules.read, Sight::kRead);
    add(rules.write, Sight::kWrite);
    add(rules.fixed, Sight::kFixed);
    add(rules.locked, Sight::kLocked);
    add(rules.read_only, Sight::kLocked);
    add(rules.open, Sight::kOpen);
    add(rules.hide, Sight::kHidden);
    std::ranges::sort(all);
    return all;
}

}  // namespace

void add_own_root(process::Confinement& confinement, const Rules& rules, const std::string& at) {
    confinement.share_no_mounts();
    confinement.mount("tmpfs", at, kNoSetuid, "size=1m,mode=0755");
    Builder root(confinement, at);
    root.fresh("tmpfs", "/tmp", kNoSetuid, "size=256m,mode=1777");
    for (const auto& [found, sight, path] : sorted(rules)) root.add(path, sight);
    add_devices(root);
    root.fresh("proc", "/proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, "");
    scatter_pids(confinement, at + "/proc");
    root.finish();
    for (const char* path : {"/tmp", "/dev/shm"}) root.writable(path);
    confinement.change_root(at);
}

}  // namespace gantry::gateway::sandbox
