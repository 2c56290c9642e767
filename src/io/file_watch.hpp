#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "io/context.hpp"
#include "io/task.hpp"

namespace gantry {

/// Reports that a file may have changed: modified, replaced under its name (as editors do), or reached through links
/// that changed (as orchestrators do). The file need not exist yet; its folder must.
class FileWatch {
public:
    /// kConnection if the kernel cannot watch.
    static Result<FileWatch> open(const std::filesystem::path& file);
    FileWatch(FileWatch&&) noexcept;
    FileWatch& operator=(FileWatch&&) = delete;
    ~FileWatch();

    /// Completes after an event that may concern the file since the last call; the caller has to read the file to find
    /// out. One call at a time.
    Task<Result<void>> changed(const Context& ctx);

private:
    class Impl;
    explicit FileWatch(std::unique_ptr<Impl> impl) noexcept;
    std::unique_ptr<Impl> impl_;
};

}  // namespace gantry
