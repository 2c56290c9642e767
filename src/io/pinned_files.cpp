#include "io/pinned_files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <set>
#include <system_error>

#include "base/try.hpp"

namespace gantry {
namespace {

namespace fs = std::filesystem;

/// At most one byte beyond `limit`, so that a longer file is detected. Grows with the file: a buffer of the limit's
/// size would stay in the allocator for the life of the process.
std::string text_of(std::istream& in, std::size_t limit) {
    constexpr std::size_t kStep = 64u << 10;
    std::string text;
    while (in && text.size() <= limit) {
        const std::size_t have = text.size();
        text.resize(have + std::min(kStep, limit + 1 - have));
        in.read(text.data() + have, static_cast<std::streamsize>(text.size() - have));
        text.resize(have + static_cast<std::size_t>(in.gcount()));
    }
    return text;
}

/// By the descriptor, so that exactly the pinned file is read, whatever its name leads to.
Result<std::string> read_pinned(const Fd& pinned, std::size_t limit) {
    struct stat info{};
    if (::fstat(pinned.get(), &info) != 0 || !S_ISREG(info.st_mode))
        return fail(ErrorCode::kDenied, "is no regular file");
    std::ifstream in("/proc/self/fd/" + std::to_string(pinned.get()), std::ios::binary);
    if (!in.is_open()) return fail(ErrorCode::kDenied, "cannot be read");
    std::string text = text_of(in, limit);
    if (in.bad()) return fail(ErrorCode::kDenied, "cannot be read");
    return text;
}

/// For files without a path of their own, such as a pipe: a later change could not be detected.
Result<PinnedFiles::Content> read_plainly(const fs::path& file, std::size_t limit) {
    std::ifstream in(file, std::ios::binary);
    if (!in.is_open()) return fail(ErrorCode::kDenied, "cannot be read");
    return PinnedFiles::Content{.text = text_of(in, limit), .strayed = file.string() + ": has no path to be pinned by"};
}

fs::path key_of(const fs::path& file) {
    std::error_code ignored;
    return fs::absolute(file, ignored);
}

/// The folders where an operator replaces or relinks the file.
std::vector<std::string> holders_of(const fs::path& file, const PathWalk& way) {
    std::vector<std::string> holders = {way.folder};
    for (const PathStep& step : way.steps)
        if (step.link && step.path() == file.string()) holders.push_back(step.folder);
    return holders;
}

}  // namespace

Result<PinnedFiles::Content> PinnedFiles::read(const fs::path& file, std::size_t limit) {
    const std::lock_guard lock(mutex_);
    auto looked = look(file);
    if (!looked && looked.error().code() == ErrorCode::kUnsupported) return read_plainly(file, limit);
    if (!looked && looked.error().code() == ErrorCode::kNotFound) return Content();
    if (!looked) return fail(looked.error());
    Content content{.strayed = *std::move(looked)};
    const PathWalk& pinned = pinned_.at(key_of(file));
    if (!pinned.exists()) return content;
    GANTRY_TRY(content.text, read_pinned(pinned.file, limit));
    return content;
}

Result<std::string> PinnedFiles::look(const fs::path& file) {
    const fs::path key = key_of(file);
    auto now = walk_path(key);
    const auto known = pinned_.find(key);
    if (known == pinned_.end()) {
        if (!now) return fail(now.error());
        pinned_.emplace(key, *std::move(now));
        return std::string();
    }
    if (!now) return told("the way to " + file.string() + " is broken: " + now.error().message());
    std::string strayed = judge(key, known->second, *now);
    if (strayed.empty()) known->second = *std::move(now);
    return told(std::move(strayed));
}

std::string PinnedFiles::told(std::string strayed) {
    if (!strayed.empty() && report_ && reported_.insert(strayed).second) report_(strayed);
    return strayed;
}

std::string PinnedFiles::judge(const fs::path& file, const PathWalk& pinned, const PathWalk& now) const {
    const auto [before, after] = std::ranges::mismatch(pinned.steps, now.steps);
    if (before == pinned.steps.end() && after == now.steps.end()) return {};
    const PathStep& changed = after != now.steps.end() ? *after : *before;
    const std::string what = changed.path() + " is not what it was when the gateway started";
    const bool same_folder = before == pinned.steps.end() || before->folder == changed.folder;
    const auto holders = holders_of(file, pinned);
    const auto trusted = [&](const std::string& folder) {
        const auto holds = [&folder](const std::string& holder) { return is_below(folder, holder); };
        return std::ranges::any_of(holders, holds) && guarded_ && guarded_(folder);
    };
    if (!same_folder || !trusted(changed.folder)) return what;
    // The operator's own change, as long as it does not lead to folders where others may write.
    for (auto step = after; step != now.steps.end(); ++step) {
        if (!trusted(step->folder)) return what + " and leads to " + step->folder;
    }
    return {};
}

std::string PinnedFiles::pin(const fs::path& file) {
    const std::lock_guard lock(mutex_);
    auto looked = look(file);
    return looked ? *std::move(looked) : looked.error().message();
}

std::string PinnedFiles::strayed() {
    const std::lock_guard lock(mutex_);
    std::vector<fs::path> all;
    for (const auto& [file, way] : pinned_) all.push_back(file);
    for (const fs::path& file : all) {
        auto looked = look(file);
        if (!looked) return looked.error().message();
        if (!looked->empty()) return *looked;
    }
    return {};
}

void PinnedFiles::forget() {
    const std::lock_guard lock(mutex_);
    pinned_.clear();
    reported_.clear();
}

std::vector<std::string> PinnedFiles::folders() const {
    const std::lock_guard lock(mutex_);
    std::set<std::string> found;
    for (const auto& [file, way] : pinned_)
        for (std::string& holder : holders_of(file, way)) found.insert(std::move(holder));
    return {found.begin(), found.end()};
}

std::vector<std::string> PinnedFiles::files() const {
    const std::lock_guard lock(mutex_);
    std::set<std::string> found;
    for (const auto& [file, way] : pinned_)
        if (way.exists()) found.insert(way.steps.back().path());
    return {found.begin(), found.end()};
}

void PinnedFiles::guard_by(std::function<bool(const std::string& folder)> guarded) {
    const std::lock_guard lock(mutex_);
    guarded_ = std::move(guarded);
}

void PinnedFiles::report_to(std::function<void(const std::string& strayed)> report) {
    const std::lock_guard lock(mutex_);
    report_ = std::move(report);
}

}  // namespace gantry
