#include "gateway/approvals/approval_folder.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

#include "base/clock.hpp"
#include "base/try.hpp"
#include "gateway/approvals/approval_text.hpp"

namespace gantry::gateway {
namespace {

constexpr const char* kOldFile = "approvals.json";
constexpr std::size_t kMaxOldBytes = 64u << 20;
/// Room for the largest arguments that can be shown, fully escaped, and the rest of the record.
constexpr std::size_t kMaxBytes = 1u << 20;
/// Far more than are ever pending at once.
constexpr std::size_t kMostFiles = 8192;
constexpr std::string_view kEnding = ".json";
constexpr std::string_view kUnfinished = ".json.new";

/// Other processes hold the lock for a few writes; one that is suspended meanwhile must not block us forever.
constexpr Duration kLockPatience = seconds(5);
constexpr Duration kLockPause = milliseconds(2);

std::int64_t now_ms() {
    return std::chrono::duration_cast<milliseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

std::unexpected<Error> system_error(std::string_view what) {
    return fail(ErrorCode::kInternal, std::string(what) + ": " + std::strerror(errno));
}

Error not_waiting(const std::string& id) {
    return Error(ErrorCode::kNotFound, "no approval '" + id + "' is waiting: it was answered, used or expired");
}

std::string file_of(const std::string& id) {
    return id + std::string(kEnding);
}

Result<std::vector<std::string>> names_in(const Fd& folder) {
    // A separate open file description, because reading moves the directory offset.
    Fd fd(::openat(folder.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!fd) return system_error("open folder");
    const std::unique_ptr<DIR, int (*)(DIR*)> reader(::fdopendir(fd.get()), &::closedir);
    if (!reader) return system_error("read folder");
    static_cast<void>(fd.release());  // the reader closes it
    std::vector<std::string> names;
    while (const dirent* entry = ::readdir(reader.get())) {
        if (names.size() > kMostFiles)
            return fail(ErrorCode::kLimit, "there are too many files; remove what is not ours");
        names.emplace_back(entry->d_name);
    }
    return names;
}

/// The question's id from its file name; empty: not one of our files.
std::string id_of(std::string_view name) {
    if (!name.ends_with(kEnding)) return {};
    name.remove_suffix(kEnding.size());
    return is_approval_id(name) ? std::string(name) : std::string();
}

}  // namespace

Result<ApprovalFolder::Open> ApprovalFolder::locked() const {
    GANTRY_TRY(const Fd state, open_private_folder(state_dir_));
    const TimePoint last = SteadyClock::now() + kLockPatience;
    for (;;) {
        // In the state folder, so that locking does not wake watchers of the approvals folder.
        GANTRY_TRY(auto lock, try_lock_name(state, "approvals"));
        if (lock) {
            GANTRY_TRY(Fd folder, open_private_folder(folder_));
            return Open{.folder = std::move(folder), .lock = *std::move(lock)};
        }
        if (SteadyClock::now() >= last)
            return fail(ErrorCode::kTimeout, folder_.string() + ": another gateway keeps it locked");
        std::this_thread::sleep_for(kLockPause);
    }
}

Result<KeptApprovals> ApprovalFolder::open() {
    {
        GANTRY_TRY(const Open held, locked());
        GANTRY_CHECK(take_over_old());
        // Unfinished files of killed processes.
        GANTRY_TRY(const auto names, names_in(held.folder));
        for (const std::string& name : names) {
            if (name.ends_with(kUnfinished)) ::unlinkat(held.folder.get(), name.c_str(), 0);
        }
    }
    return read();
}

/// Under the lock. Nothing in the folder is used before this has completed, so it can safely be repeated after a crash.
Result<void> ApprovalFolder::take_over_old() const {
    GANTRY_TRY(const Fd state, open_private_folder(state_dir_));
    const auto take = [&]() -> Result<void> {
        GANTRY_TRY(const auto text, read_private_file(state, kOldFile, kMaxOldBytes));
        if (!text) return {};
        GANTRY_TRY(const auto all, old_approvals_from(*text));
        GANTRY_TRY(const Fd folder, open_private_folder(folder_));
        for (const StoredApproval& stored : all) GANTRY_CHECK(write(folder, stored));
        if (::unlinkat(state.get(), kOldFile, 0) != 0) return system_error("remove");
        if (::fsync(state.get()) != 0) return system_error("fsync");
        return {};
    };
    // Fail closed: an unreadable file approves nothing, and must not be overwritten.
    if (auto taken = take(); !taken) return fail(taken.error().within((state_dir_ / kOldFile).string()));
    return {};
}

Result<KeptApprovals> ApprovalFolder::read() {
    GANTRY_TRY(const Fd folder, open_private_folder(folder_));
    auto names = names_in(folder);
    if (!names) return fail(names.error().within(folder_.string()));
    KeptApprovals kept;
    std::map<std::string, Seen> seen;
    for (const std::string& name : *names) {
        const std::string id = id_of(name);
        struct stat info{};
        if (id.empty() || ::fstatat(folder.get(), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) continue;
        Seen now{.inode = info.st_ino,
                 .changed_ns = (std::int64_t{info.st_ctim.tv_sec} * 1'000'000'000) + info.st_ctim.tv_nsec,
                 .size = info.st_size};
        const auto before = seen_.find(id);
        if (before != seen_.end() && before->second.inode == now.inode && before->second.changed_ns == now.changed_ns &&
            before->second.size == now.size) {
            now.stored = std::move(before->second.stored);
        } else if (auto found = find(folder, id)) {
            if (!*found) continue;  // removed meanwhile
            now.stored = **std::move(found);
        } else {
            kept.trouble.push_back((folder_ / name).string() + ": " + found.error().message() +
                                   "; it approves nothing and may be removed");
        }
        if (now.stored) kept.all.push_back(*now.stored);
        seen.emplace(id, std::move(now));
    }
    seen_ = std::move(seen);
    return kept;
}

Result<void> ApprovalFolder::add(const PendingApproval& question) {
    GANTRY_TRY(const Open held, locked());
    return write(held.folder, {.approval = question});
}

Result<StoredApproval> ApprovalFolder::answer(const std::string& id, const StoredAnswer& answer) {
    if (!is_approval_id(id)) return fail(not_waiting(id));
    GANTRY_TRY(const Open held, locked());
    GANTRY_TRY(auto stored, find(held.folder, id));
    if (!stored || stored->state != ApprovalState::kPending || stored->approval.expires_ms <= now_ms())
        return fail(not_waiting(id));
    stored->state = answer.approved ? ApprovalState::kApproved : ApprovalState::kRejected;
    stored->reason = answer.reason;
    stored->approval.expires_ms = answer.expires_ms;
    GANTRY_CHECK(write(held.folder, *stored));
    return *std::move(stored);
}

Result<bool> ApprovalFolder::use(const std::string& id) {
    GANTRY_TRY(const Open held, locked());
    GANTRY_TRY(const auto stored, find(held.folder, id));
    if (!stored || stored->state != ApprovalState::kApproved || stored->approval.expires_ms <= now_ms()) return false;
    GANTRY_CHECK(remove(held.folder, id));
    return true;
}

Result<std::optional<StoredApproval>> ApprovalFolder::expire(const std::string& id, std::int64_t at_ms) {
    GANTRY_TRY(const Open held, locked());
    GANTRY_TRY(auto stored, find(held.folder, id));
    if (!stored || stored->approval.expires_ms > at_ms) return std::optional<StoredApproval>();
    GANTRY_CHECK(remove(held.folder, id));
    return stored;
}

Result<std::optional<StoredApproval>> ApprovalFolder::find(const Fd& folder, const std::string& id) {
    GANTRY_TRY(const auto text, read_private_file(folder, file_of(id).c_str(), kMaxBytes));
    if (!text) return std::optional<StoredApproval>();
    GANTRY_TRY(auto stored, approval_from(*text));
    if (stored.approval.id != id) return fail(ErrorCode::kParse, "it is about another question than its name says");
    return std::optional(std::move(stored));
}

Result<void> ApprovalFolder::write(const Fd& folder, const StoredApproval& stored) {
    return replace_private_file(folder, file_of(stored.approval.id).c_str(), to_text(stored));
}

Result<void> ApprovalFolder::remove(const Fd& folder, const std::string& id) {
    if (::unlinkat(folder.get(), file_of(id).c_str(), 0) != 0) return system_error("remove");
    if (::fsync(folder.get()) != 0) return system_error("fsync folder");
    return {};
}

}  // namespace gantry::gateway
