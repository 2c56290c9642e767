#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "gantry/error.hpp"
#include "io/path_walk.hpp"

namespace gantry {

/// Files that are read again and again for a long time, each only by the way that led to it first.
///
/// A way is every folder and link from the root to the file, by device and inode. A later way is the same, or differs
/// only inside the folder that holds the file or a link to it, while that folder is guarded (nothing untrusted can
/// write there): then the operator replaced the file or relinked it, and the new way is pinned. After any other change
/// the file pinned first is read, wherever it is now, and the change is reported. May be used by several threads.
class PinnedFiles {
public:
    struct Content {
        /// Empty: there is no such file.
        std::optional<std::string> text = {};
        /// Why `text` is that of the file pinned first, not of what the path leads to now; empty: the way is trusted.
        std::string strayed = {};
    };

    /// Reads at most `limit` bytes and one more. Errors as of walk_path(), and kDenied for what is no regular file;
    /// what cannot be pinned at all is read plainly and always strays.
    Result<Content> read(const std::filesystem::path& file, std::size_t limit);

    /// Pins the way to `file` as it is now, unless it is pinned already. The text is what is wrong with it; empty:
    /// nothing.
    std::string pin(const std::filesystem::path& file);
    /// What is wrong with the ways of all files pinned so far; empty: nothing.
    std::string strayed();

    /// Forgets every path: the next read pins it as it is then. Only on an operator's explicit request.
    void forget();

    /// Folders that hold what is pinned or a link directly to it. What may write there may replace it.
    std::vector<std::string> folders() const;
    /// The files themselves, by their real paths.
    std::vector<std::string> files() const;

    /// Says whether nothing untrusted can write in this folder; unset: nothing is guarded. Called under a lock.
    void guard_by(std::function<bool(const std::string& folder)> guarded);
    /// Hears of each stray, once until forget(). On the thread that reads, under a lock.
    void report_to(std::function<void(const std::string& strayed)> report);

private:
    /// Pins `file`, or follows a trusted change of its way. The text is why it was not followed.
    Result<std::string> look(const std::filesystem::path& file);
    std::string judge(const std::filesystem::path& file, const PathWalk& pinned, const PathWalk& now) const;
    std::string told(std::string strayed);

    mutable std::mutex mutex_;
    std::function<bool(const std::string&)> guarded_;
    std::function<void(const std::string&)> report_;
    std::set<std::string> reported_;
    std::map<std::filesystem::path, PathWalk> pinned_;
};

}  // namespace gantry
