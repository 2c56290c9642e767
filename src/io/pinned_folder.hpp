#pragma once

#include <filesystem>
#include <string>

#include "gantry/error.hpp"
#include "io/fd.hpp"

namespace gantry {

/// A folder held by a descriptor: whatever becomes of its name or of a folder above it, path() leads to the same one.
class PinnedFolder {
public:
    PinnedFolder() = default;
    /// The folder as it is now; it must exist.
    static Result<PinnedFolder> open(const std::filesystem::path& folder);

    /// "/proc/self/fd/7": for everything that takes a path, in this process only.
    const std::filesystem::path& path() const noexcept { return path_; }
    /// As people know it.
    const std::filesystem::path& name() const noexcept { return name_; }
    /// An error when the name leads elsewhere by now.
    Result<void> check() const;
    /// `text` with path() spelt as name(), for messages.
    std::string shown(std::string text) const;

private:
    Fd fd_;
    std::filesystem::path path_;
    std::filesystem::path name_;
};

}  // namespace gantry
