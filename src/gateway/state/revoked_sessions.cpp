#include "gateway/state/revoked_sessions.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <optional>
#include <utility>

#include "base/crypto/base64url.hpp"
#include "base/try.hpp"
#include "mcp/server/session_id.hpp"

namespace gantry::gateway {
namespace {

using mcp::SessionDigest;

constexpr const char* kFile = "revoked.sessions";
constexpr std::size_t kDigestText = 22;  // 16 bytes as base64url
constexpr std::size_t kDigits = 11;      // seconds of Unix time, zero-padded
constexpr std::size_t kLine = kDigestText + 1 + kDigits + 1;
constexpr std::int64_t kLatest = 99'999'999'999;

/// Fixed length, so that no part of a line parses as another line.
std::string line_of(const SessionDigest& session, std::int64_t expires) {
    std::string line = crypto::base64url_encode({session.data(), session.size()});
    const std::string number = std::to_string(std::clamp<std::int64_t>(expires, 0, kLatest));
    line.append(1, ' ').append(kDigits - number.size(), '0').append(number).append(1, '\n');
    return line;
}

struct Entry {
    SessionDigest session;
    std::int64_t expires = 0;
};

/// `line` without its line end.
std::optional<Entry> read_line(std::string_view line) {
    if (line.size() != kLine - 1 || line[kDigestText] != ' ') return std::nullopt;
    const auto digest = crypto::base64url_decode(line.substr(0, kDigestText));
    Entry entry;
    if (!digest || digest->size() != entry.session.size()) return std::nullopt;
    std::copy_n(digest->begin(), entry.session.size(), entry.session.begin());
    const std::string_view number = line.substr(kDigestText + 1);
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), entry.expires);
    if (error != std::errc() || end != number.data() + number.size() || entry.expires < 0) return std::nullopt;
    return entry;
}

std::unexpected<Error> system_error(std::string_view what) {
    return fail(ErrorCode::kInternal, std::string(what) + ": " + std::strerror(errno));
}

}  // namespace

RevokedSessions::RevokedSessions(Options options) : options_(std::move(options)), known_(options_.most) {}

std::size_t RevokedSessions::full_bytes() const noexcept {
    return options_.most * kLine;
}

Result<void> RevokedSessions::open(const std::filesystem::path& state_dir) {
    const auto load = [&]() -> Result<void> {
        GANTRY_TRY(folder_, open_private_folder(state_dir));
        GANTRY_TRY(const Fd lock, lock_folder(folder_));
        GANTRY_TRY(Fd file, open_private_log(folder_, kFile));
        GANTRY_CHECK(take_file(std::move(file)));
        known_.drop_expired(mcp::unix_now());
        if (known_.size() * kLine != seen_) tell_trouble(rewrite(), "could not be compacted", told_unwritten_);
        return {};
    };
    if (auto loaded = load(); !loaded) {
        file_ = Fd();
        return fail(loaded.error().within((state_dir / kFile).string()));
    }
    news_.clear();  // no client has a session yet
    return {};
}

void RevokedSessions::revoke(const SessionDigest& session, std::int64_t expires) {
    if (file_) tell_trouble(write_down(session, expires), "could not be written", told_unwritten_);
    known_.add(session, expires);  // also if nothing could be written
}

std::vector<SessionDigest> RevokedSessions::news() {
    if (file_) tell_trouble(catch_up(), "could not be read", told_unread_);
    return std::exchange(news_, {});
}

Result<void> RevokedSessions::write_down(const SessionDigest& session, std::int64_t expires) {
    const auto write = [&]() -> Result<void> {
        // Without the lock, the line could go into a file that is just being replaced.
        GANTRY_TRY(const Fd lock, lock_folder(folder_));
        GANTRY_CHECK(catch_up());
        if (!known_.add(session, expires) && !incomplete_) return {};
        // The entries in memory always fit; when they fill the file, the next add() frees many.
        if (incomplete_ || seen_ + kLine > full_bytes()) return rewrite();
        return append(line_of(session, expires));
    };
    auto written = write();
    incomplete_ = !written;
    return written;
}

Result<void> RevokedSessions::append(std::string line) {
    if (read_ < seen_) line.insert(0, 1, '\n');  // an incomplete line: a process died, or the disk was full
    const ssize_t written = ::write(file_.get(), line.data(), line.size());
    if (written < 0) return system_error("write");
    seen_ += static_cast<std::size_t>(written);
    if (static_cast<std::size_t>(written) != line.size()) return fail(ErrorCode::kInternal, "write: no room");
    read_ = seen_;
    return {};
}

Result<void> RevokedSessions::rewrite() {
    std::string content;
    content.reserve(known_.size() * kLine);
    for (const auto& [session, expires] : known_.entries()) content += line_of(session, expires);
    GANTRY_CHECK(replace_private_file(folder_, kFile, content));
    GANTRY_TRY(file_, open_private_log(folder_, kFile));
    struct stat info{};
    if (::fstat(file_.get(), &info) != 0) return system_error("stat");
    inode_ = info.st_ino;
    read_ = seen_ = content.size();
    return {};
}

Result<void> RevokedSessions::catch_up() {
    struct stat info{};
    if (::fstatat(folder_.get(), kFile, &info, AT_SYMLINK_NOFOLLOW) != 0) {
        if (errno != ENOENT) return system_error("stat");
        incomplete_ = true;  // removed; the next revocation restores it
        return {};
    }
    const auto size = static_cast<std::size_t>(info.st_size);
    if (info.st_ino == inode_ && size == seen_) return {};
    if (info.st_ino == inode_ && size > seen_) return read_from_here(size);
    GANTRY_TRY(Fd file, open_private_log(folder_, kFile));
    return take_file(std::move(file));
}

Result<void> RevokedSessions::take_file(Fd file) {
    struct stat info{};
    if (::fstat(file.get(), &info) != 0) return system_error("stat");
    if (info.st_ino == inode_) incomplete_ = true;  // truncated by another program
    file_ = std::move(file);
    inode_ = info.st_ino;
    read_ = seen_ = 0;
    return read_from_here(static_cast<std::size_t>(info.st_size));
}

Result<void> RevokedSessions::read_from_here(std::size_t size) {
    // Twice the size we would let it grow to: the file cannot be ours.
    if (size > 2 * full_bytes() + kLine) return fail(ErrorCode::kLimit, "it is larger than any valid file");
    std::string fresh(size - read_, '\0');
    const ssize_t got = ::pread(file_.get(), fresh.data(), fresh.size(), static_cast<off_t>(read_));
    if (got < 0) return system_error("read");
    fresh.resize(static_cast<std::size_t>(got));
    seen_ = read_ + fresh.size();
    std::size_t damaged = 0;
    std::string_view rest = fresh;
    for (auto end = rest.find('\n'); end != std::string_view::npos; end = rest.find('\n')) {
        const auto entry = read_line(rest.substr(0, end));
        rest.remove_prefix(end + 1);
        if (!entry) {
            ++damaged;
        } else if (known_.add(entry->session, entry->expires)) {
            news_.push_back(entry->session);
        }
    }
    read_ = seen_ - rest.size();
    if (damaged > 0) note("damaged lines skipped: " + std::to_string(damaged));
    return {};
}

void RevokedSessions::tell_trouble(const Result<void>& done, std::string_view what, bool& told) {
    // Reported once until it is resolved: every further DELETE would repeat it.
    if (!done && !told) note(std::string(what) + ", ended sessions may come back: " + done.error().message());
    told = !done;
    if (known_.lost() > 0 && !std::exchange(told_full_, true))
        note("full; the sessions that expire soonest are dropped and may come back");
}

void RevokedSessions::note(const std::string& text) const {
    if (options_.note) options_.note(std::string(kFile) + ": " + text);
}

}  // namespace gantry::gateway
