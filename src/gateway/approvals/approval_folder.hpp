#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "gateway/approvals/approval_store.hpp"
#include "io/private_file.hpp"

namespace gantry::gateway {

/// The files behind an ApprovalStore. Every call may block; not thread-safe.
///
/// A question is one file, written whole and renamed into place, so that reading needs no lock. Changes are made under
/// an exclusive lock, which the kernel releases when its process dies.
class ApprovalFolder {
public:
    explicit ApprovalFolder(std::filesystem::path state_dir)
        : state_dir_(std::move(state_dir)), folder_(state_dir_ / "approvals") {}

    const std::filesystem::path& path() const noexcept { return folder_; }

    /// As in ApprovalStore. kTimeout: another process holds the lock.
    Result<KeptApprovals> open();
    Result<KeptApprovals> read();
    Result<void> add(const PendingApproval& question);
    Result<StoredApproval> answer(const std::string& id, const StoredAnswer& answer);
    Result<bool> use(const std::string& id);
    Result<std::optional<StoredApproval>> expire(const std::string& id, std::int64_t at_ms);

private:
    struct Open {
        Fd folder;
        Fd lock;
    };
    /// Identity of a file when it was last read; it is read again only when this has changed.
    struct Seen {
        ino_t inode = 0;
        std::int64_t changed_ns = 0;
        off_t size = 0;
        std::optional<StoredApproval> stored = {};  // empty when the file is damaged
    };

    Result<Open> locked() const;
    Result<void> take_over_old() const;
    static Result<std::optional<StoredApproval>> find(const Fd& folder, const std::string& id);
    static Result<void> write(const Fd& folder, const StoredApproval& stored);
    static Result<void> remove(const Fd& folder, const std::string& id);

    std::filesystem::path state_dir_;
    std::filesystem::path folder_;
    std::map<std::string, Seen> seen_;
};

}  // namespace gantry::gateway
