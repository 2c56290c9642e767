#include "client/era_file.hpp"

#include <fcntl.h>
#include <sys/file.h>

#include <cstdlib>

#include "io/private_file.hpp"

namespace gantry {

namespace {

constexpr const char* kName = "eras.json";
constexpr const char* kLock = "eras.lock";

}  // namespace

std::optional<EraFile> EraFile::of_user() {
    // The XDG specification declares relative paths invalid: they are ignored.
    if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache != nullptr && cache[0] == '/')
        return EraFile(std::filesystem::path(cache) / "gantry");
    if (const char* home = std::getenv("HOME"); home != nullptr && home[0] == '/')
        return EraFile(std::filesystem::path(home) / ".cache" / "gantry");
    return std::nullopt;
}

std::string EraFile::read() const {
    std::error_code error;
    if (!std::filesystem::exists(folder_, error)) return {};
    const auto folder = open_private_folder(folder_);
    if (!folder) return {};
    auto text = read_private_file(*folder, kName, kMaxBytes);
    return text && *text ? **std::move(text) : std::string();
}

void EraFile::update(const mcp::EraCache& learned) const {
    const auto folder = open_private_folder(folder_);
    if (!folder) return;
    // Another process is writing: the new verdicts are not worth waiting for.
    const Fd lock(::openat(folder->get(), kLock, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!lock || ::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) return;
    mcp::EraCache all;
    if (auto text = read_private_file(*folder, kName, kMaxBytes); text && *text) all.merge(**text);
    all.merge(learned);
    auto written = replace_private_file(*folder, kName, all.text());
    static_cast<void>(written);  // a verdict that is not stored costs one probe
}

}  // namespace gantry
