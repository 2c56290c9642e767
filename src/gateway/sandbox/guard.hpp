#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace gantry::gateway::sandbox {

/// The write protection of one running server, for the folders the gateway reads from.
struct GuardedFamily {
    std::string server;
    std::vector<std::string> locked = {};
    std::vector<std::string> open = {};  // inside locked folders, yet writable
};

/// Tracks which folders every running isolated server can write to. Thread-safe.
class Guard {
public:
    /// Takes effect at once, since the server may start running any time after this call, and ends when the result is
    /// dropped.
    std::shared_ptr<GuardedFamily> add(GuardedFamily family);
    /// Records that a step meant to lock the folders has failed.
    void opened(GuardedFamily& family);
    /// The server that can write in `folder` or replace it; empty: none.
    std::string writer_of(const std::string& folder) const;

private:
    mutable std::mutex mutex_;
    mutable std::vector<std::weak_ptr<GuardedFamily>> families_;
};

/// Folders directly in `folder` that may contain others and therefore stay writable when it is locked. Excludes the dot
/// folders of a home.
std::vector<std::string> rooms_of(const std::string& folder, const std::vector<std::string>& homes);

/// All ancestors of each of `paths`, outermost first, without the root.
std::vector<std::string> folders_above(const std::vector<std::string>& paths);

}  // namespace gantry::gateway::sandbox
