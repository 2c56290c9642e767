#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

#include "gantry/error.hpp"
#include "io/fd.hpp"

namespace gantry {

/// One name on the path to a file, and what it resolved to: a folder, a link or the file itself.
struct PathStep {
    std::string folder;  // the folder that contains the name, with links resolved
    std::string name;
    dev_t device = 0;
    ino_t inode = 0;
    bool link = false;

    /// "/etc/gantry": folder and name joined.
    std::string path() const;
    bool operator==(const PathStep&) const = default;
};

/// The path from the root to a file, as resolved at one point in time.
///
/// Each name is opened relative to the previous folder and links are followed by hand, so the steps are exactly what
/// led to `file`: nothing can be swapped between check and open. Open descriptors keep inode numbers from being reused.
struct PathWalk {
    std::vector<PathStep> steps = {};
    std::string folder;  // contains the last name found, or would contain the first one missing; links resolved
    Fd folder_fd = {};
    Fd file = {};  // O_PATH; none: a name on the path does not exist

    bool exists() const noexcept { return bool(file); }
};

/// Walks to `path`, a file or a folder, as far as it exists. kNotFound if a file is in the place of a folder,
/// kDenied if a folder cannot be entered, kUnsupported for what has no name to pin, such as a pipe in /proc.
Result<PathWalk> walk_path(const std::filesystem::path& path);

/// Whether `path` is `folder` or inside it; both absolute and without "..".
bool is_below(const std::string& path, const std::string& folder);

}  // namespace gantry
