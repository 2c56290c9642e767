#include "io/path_walk.hpp"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <system_error>

#include "base/try.hpp"

namespace gantry {
namespace {

namespace fs = std::filesystem;

// The kernel's limit.
constexpr int kMostLinks = 40;

std::unexpected<Error> trouble(const std::string& path, int error) {
    const ErrorCode code = error == ENOENT || error == ENOTDIR ? ErrorCode::kNotFound : ErrorCode::kDenied;
    return fail(code, path + ": " + std::generic_category().message(error));
}

std::string joined(const std::string& folder, const std::string& name) {
    return folder == "/" ? "/" + name : folder + "/" + name;
}

/// The remaining names of a path, last name first.
class Names {
public:
    explicit Names(const fs::path& path) { put(path); }
    void put(const fs::path& path) {
        std::vector<std::string> names;
        for (const fs::path& part : path.relative_path()) {
            if (!part.empty() && part != ".") names.push_back(part.string());
        }
        rest_.insert(rest_.end(), names.rbegin(), names.rend());
    }
    bool empty() const noexcept { return rest_.empty(); }
    std::string take() {
        std::string name = std::move(rest_.back());
        rest_.pop_back();
        return name;
    }

private:
    std::vector<std::string> rest_;
};

Fd open_place(int folder, const char* name) {
    return Fd(::openat(folder, name, O_PATH | O_NOFOLLOW | O_CLOEXEC));
}

/// The target of a link. Links in /proc may lead to objects without a name.
Result<fs::path> target_of(const Fd& link, const std::string& path) {
    struct statfs system{};
    if (::fstatfs(link.get(), &system) == 0 && system.f_type == PROC_SUPER_MAGIC)
        return fail(ErrorCode::kUnsupported, path + ": is a link of the kernel's own, which no path can be pinned by");
    std::array<char, PATH_MAX> text{};
    const ssize_t size = ::readlinkat(link.get(), "", text.data(), text.size());
    if (size < 0) return trouble(path, errno);
    return fs::path(std::string(text.data(), static_cast<std::size_t>(size)));
}

class Walker {
public:
    explicit Walker(const fs::path& path) : names_(path) {}

    Result<PathWalk> walk() {
        GANTRY_CHECK(to_root());
        while (!names_.empty()) {
            const std::string name = names_.take();
            GANTRY_CHECK(name == ".." ? up() : step(name));
            if (done_) break;
        }
        return std::move(walk_);
    }

private:
    Result<void> to_root() {
        walk_.folder = "/";
        walk_.folder_fd = open_place(AT_FDCWD, "/");
        if (!walk_.folder_fd) return trouble("/", errno);
        return {};
    }

    Result<void> up() {
        Fd above = open_place(walk_.folder_fd.get(), "..");
        if (!above) return trouble(walk_.folder + "/..", errno);
        walk_.folder_fd = std::move(above);
        walk_.folder = fs::path(walk_.folder).parent_path().string();
        return {};
    }

    Result<void> step(const std::string& name) {
        const std::string path = joined(walk_.folder, name);
        Fd place = open_place(walk_.folder_fd.get(), name.c_str());
        if (!place) {
            if (errno != ENOENT) return trouble(path, errno);
            done_ = true;  // it may be created later, and then the path resolves differently
            return {};
        }
        struct stat info{};
        if (::fstat(place.get(), &info) != 0) return trouble(path, errno);
        const bool link = S_ISLNK(info.st_mode);
        walk_.steps.push_back(
            {.folder = walk_.folder, .name = name, .device = info.st_dev, .inode = info.st_ino, .link = link});
        if (link) return follow(place, path);
        if (names_.empty()) {
            walk_.file = std::move(place);
            return {};
        }
        if (!S_ISDIR(info.st_mode)) return trouble(path, ENOTDIR);
        walk_.folder_fd = std::move(place);
        walk_.folder = path;
        return {};
    }

    Result<void> follow(const Fd& link, const std::string& path) {
        if (++links_ > kMostLinks) return trouble(path, ELOOP);
        GANTRY_TRY(const fs::path target, target_of(link, path));
        names_.put(target);
        if (target.is_absolute()) return to_root();
        return {};
    }

    Names names_;
    PathWalk walk_;
    int links_ = 0;
    bool done_ = false;
};

}  // namespace

std::string PathStep::path() const {
    return joined(folder, name);
}

Result<PathWalk> walk_path(const fs::path& path) {
    std::error_code failed;
    const fs::path whole = fs::absolute(path, failed);
    if (failed) return fail(ErrorCode::kDenied, path.string() + ": " + failed.message());
    return Walker(whole).walk();
}

bool is_below(const std::string& path, const std::string& folder) {
    return path == folder || folder == "/" || path.starts_with(folder + "/");
}

}  // namespace gantry
