#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace gantry::gateway::sandbox {

/// What one running server cannot write, of the folders the gateway reads from.
struct GuardedFamily {
    std::string server;
    std::vector<std::string> locked = {};
    std::vector<std::string> open = {};  // inside locked ones, yet writable
};

/// Knows for every isolated server that runs whether it could write a folder. May be asked by several threads.
class Guard {
public:
    /// Counts until the result is dropped, and from this call on: the server may be running at any time after it.
    std::shared_ptr<GuardedFamily> add(GuardedFamily family);
    /// A step that was to keep the folders shut failed.
    void opened(GuardedFamily& family);
    /// The server that may write in `folder`, or replace it; empty: none.
    std::string writer_of(const std::string& folder) const;

private:
    mutable std::mutex mutex_;
    mutable std::vector<std::weak_ptr<GuardedFamily>> families_;
};

/// Folders that hold others and lie directly in `folder`, and so stay writable when it is locked. A dot folder of a
/// home does not.
std::vector<std::string> rooms_of(const std::string& folder, const std::vector<std::string>& homes);

/// The folders above each of `paths`, outermost first, without the root.
std::vector<std::string> folders_above(const std::vector<std::string>& paths);

}  // namespace gantry::gateway::sandbox
