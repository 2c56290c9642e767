#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

#include "gantry/error.hpp"
#include "io/fd.hpp"

namespace gantry {

/// One name on the way to a file, and what it stood for: a folder, a link or the file itself.
struct PathStep {
    std::string folder;  // where the name stands, without links
    std::string name;
    dev_t device = 0;
    ino_t inode = 0;
    bool link = false;

    /// "/etc/gantry": the folder and the name.
    std::string path() const;
    bool operator==(const PathStep&) const = default;
};

/// The way from the root to a file, as it was when it was walked.
///
/// Each name is opened relative to the folder before it and links are followed by hand, so the steps are exactly what
/// led to `file`: nothing can be swapped between looking and opening. The descriptors keep the kernel from giving the
/// same numbers to others.
struct PathWalk {
    std::vector<PathStep> steps = {};
    std::string folder;  // that holds the last name found, or would hold the first one missing; without links
    Fd folder_fd = {};
    Fd file = {};  // O_PATH; none: a name on the way does not exist

    bool exists() const noexcept { return bool(file); }
};

/// Walks to `path`, a file or a folder, or as far as there is something. kNotFound when a file stands where a folder
/// should, kDenied when a folder cannot be entered, kUnsupported for what has no name to pin, such as a pipe in /proc.
Result<PathWalk> walk_path(const std::filesystem::path& path);

/// Whether `path` is `folder` or lies in it; both absolute and without "..".
bool is_below(const std::string& path, const std::string& folder);

}  // namespace gantry
