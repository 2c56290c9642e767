#include "io/pinned_folder.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <system_error>

namespace gantry {

namespace fs = std::filesystem;

Result<PinnedFolder> PinnedFolder::open(const fs::path& folder) {
    PinnedFolder pinned;
    std::error_code failed;
    pinned.name_ = fs::absolute(folder, failed).lexically_normal();
    if (!pinned.name_.has_filename()) pinned.name_ = pinned.name_.parent_path();
    pinned.fd_ = Fd(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!pinned.fd_)
        return fail(ErrorCode::kDenied,
                    folder.string() + ": cannot be opened: " + std::generic_category().message(errno));
    pinned.path_ = "/proc/self/fd/" + std::to_string(pinned.fd_.get());
    return pinned;
}

Result<void> PinnedFolder::check() const {
    struct stat held{};
    struct stat named{};
    if (::fstat(fd_.get(), &held) == 0 && ::stat(name_.c_str(), &named) == 0 && held.st_dev == named.st_dev &&
        held.st_ino == named.st_ino)
        return {};
    return fail(ErrorCode::kDenied, name_.string() +
                                        ": is not the folder it was when the gateway started; put the old one back, or "
                                        "restart the gateway");
}

std::string PinnedFolder::shown(std::string text) const {
    if (path_.empty()) return text;
    const std::string mine = path_.string();
    for (auto at = text.find(mine); at != std::string::npos; at = text.find(mine, at)) {
        const auto end = at + mine.size();
        // Another descriptor's number may have ours as a prefix.
        const bool whole = end == text.size() || text[end] < '0' || text[end] > '9';
        if (whole) text.replace(at, mine.size(), name_.string());
        at += whole ? name_.string().size() : mine.size();
    }
    return text;
}

}  // namespace gantry
