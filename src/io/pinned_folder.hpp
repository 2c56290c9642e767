#pragma once

#include <filesystem>
#include <string>

#include "gantry/error.hpp"
#include "io/fd.hpp"

namespace gantry {

/// A folder held open by a descriptor: path() keeps leading to it even if it or a parent is renamed or replaced.
class PinnedFolder {
public:
    PinnedFolder() = default;
    /// Opens the folder as it is now; it must exist.
    static Result<PinnedFolder> open(const std::filesystem::path& folder);

    /// "/proc/self/fd/7": for all functions that take a path, in this process only.
    const std::filesystem::path& path() const noexcept { return path_; }
    /// The name for display.
    const std::filesystem::path& name() const noexcept { return name_; }
    /// Fails if the name leads elsewhere by now.
    Result<void> check() const;
    /// `text` with path() replaced by name(), for messages.
    std::string shown(std::string text) const;

private:
    Fd fd_;
    std::filesystem::path path_;
    std::filesystem::path name_;
};

}  // namespace gantry
