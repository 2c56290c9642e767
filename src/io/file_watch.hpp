#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "io/context.hpp"
#include "io/task.hpp"

namespace gantry {

/// Notices that a file may be another one now: written anew, replaced under its name (as editors do), or reached
/// through links that were changed (as orchestrators do). Also for a file that is not there yet; its folder must be.
class FileWatch {
public:
    /// kConnection when the kernel cannot watch.
    static Result<FileWatch> open(const std::filesystem::path& file);
    FileWatch(FileWatch&&) noexcept;
    FileWatch& operator=(FileWatch&&) = delete;
    ~FileWatch();

    /// Returns after something happened that may concern the file since the last call; whoever wants to know what has
    /// to look. One at a time.
    Task<Result<void>> changed(const Context& ctx);

private:
    class Impl;
    explicit FileWatch(std::unique_ptr<Impl> impl) noexcept;
    std::unique_ptr<Impl> impl_;
};

}  // namespace gantry
