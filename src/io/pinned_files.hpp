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

/// Files that are read repeatedly over a long time, each only by the path resolution that led to it first.
///
/// A resolution is every folder and link from the root to the file, by device and inode. A later one is accepted if it
/// is the same, or differs only inside the folder that contains the file or a link to it, while that folder is guarded
/// (nothing untrusted can write there): then the operator replaced or relinked the file, and the new resolution is
/// pinned. After any other change the file pinned first is read, wherever it is now, and the change is reported.
/// Thread-safe.
class PinnedFiles {
public:
    struct Content {
        /// Empty: there is no such file.
        std::optional<std::string> text = {};
        /// Why `text` is from the file pinned first, not from where the path leads now; empty: the resolution is
        /// trusted.
        std::string strayed = {};
    };

    /// Reads at most `limit` bytes and one more. Errors as of walk_path(), and kDenied if it is not a regular file;
    /// files that cannot be pinned at all are read directly and always reported as strayed.
    Result<Content> read(const std::filesystem::path& file, std::size_t limit);

    /// Pins the current resolution of `file`, unless it is pinned already. Returns what is wrong with it, or empty.
    std::string pin(const std::filesystem::path& file);
    /// What is wrong with the resolutions of all pinned files; empty: nothing.
    std::string strayed();

    /// Drops all pins: the next read pins again. Only on an operator's explicit request.
    void forget();

    /// Folders that contain a pinned file or a link directly to it. Write access there allows replacing it.
    std::vector<std::string> folders() const;
    /// The pinned files by their real paths.
    std::vector<std::string> files() const;

    /// Predicate: nothing untrusted can write in this folder; unset: no folder is guarded. Called under a lock.
    void guard_by(std::function<bool(const std::string& folder)> guarded);
    /// Called for each stray, once until forget(). On the reading thread, under a lock.
    void report_to(std::function<void(const std::string& strayed)> report);

private:
    /// Pins `file`, or follows a trusted change of its resolution. Returns why it was not followed.
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
