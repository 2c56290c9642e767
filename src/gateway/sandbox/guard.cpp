#include "gateway/sandbox/guard.hpp"

#include <algorithm>
#include <filesystem>
#include <set>

#include "io/path_walk.hpp"

namespace gantry::gateway::sandbox {

namespace {

namespace fs = std::filesystem;

// Each is a mount in every server; those beyond this are read-only.
constexpr std::size_t kMostRooms = 256;

/// Length of the longest of `paths` that is or contains `folder`; 0: there is none.
std::size_t nearest(const std::vector<std::string>& paths, const std::string& folder) {
    std::size_t longest = 0;
    for (const std::string& path : paths)
        if (is_below(folder, path)) longest = std::max(longest, path.size());
    return longest;
}

bool may_write(const GuardedFamily& family, const std::string& folder) {
    return nearest(family.open, folder) >= nearest(family.locked, folder);
}

}  // namespace

std::shared_ptr<GuardedFamily> Guard::add(GuardedFamily family) {
    auto added = std::make_shared<GuardedFamily>(std::move(family));
    const std::lock_guard lock(mutex_);
    std::erase_if(families_, [](const auto& known) { return known.expired(); });
    families_.push_back(added);
    return added;
}

void Guard::opened(GuardedFamily& family) {
    const std::lock_guard lock(mutex_);
    family.locked.clear();
}

std::string Guard::writer_of(const std::string& folder) const {
    const std::lock_guard lock(mutex_);
    for (const auto& known : families_)
        if (const auto family = known.lock(); family && may_write(*family, folder)) return family->server;
    return {};
}

std::vector<std::string> rooms_of(const std::string& folder, const std::vector<std::string>& homes) {
    const bool home = std::ranges::find(homes, folder) != homes.end();
    std::vector<std::string> rooms;
    std::error_code failed;
    for (auto entry = fs::directory_iterator(folder, failed); !failed && entry != fs::directory_iterator();
         entry.increment(failed)) {
        std::error_code gone;
        const bool room = entry->is_directory(gone) && !entry->is_symlink(gone);
        if (!room || (home && entry->path().filename().string().starts_with('.'))) continue;
        rooms.push_back(entry->path().string());
        if (rooms.size() == kMostRooms) break;
    }
    std::ranges::sort(rooms);
    return rooms;
}

std::vector<std::string> folders_above(const std::vector<std::string>& paths) {
    std::set<std::string> found;
    for (const std::string& path : paths) {
        for (fs::path above = fs::path(path).parent_path(); above.has_relative_path(); above = above.parent_path())
            found.insert(above.string());
    }
    return {found.begin(), found.end()};
}

}  // namespace gantry::gateway::sandbox
