#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gantry/error.hpp"
#include "gateway/model/approval.hpp"
#include "io/context.hpp"
#include "io/task.hpp"

namespace gantry::gateway {

/// What became of a question so far.
enum class ApprovalState : std::uint8_t { kPending, kApproved, kRejected };

struct StoredApproval {
    PendingApproval approval;
    ApprovalState state = ApprovalState::kPending;
    std::string reason = {};  // in the words of who answered
};

/// What somebody said, and until when it counts.
struct StoredAnswer {
    bool approved = false;
    std::string reason = {};
    std::int64_t expires_ms = 0;
};

/// Everything that is kept.
struct KeptApprovals {
    std::vector<StoredApproval> all = {};
    /// Sentences about what could not be read, each told once. What cannot be read approves nothing.
    std::vector<std::string> trouble = {};
};

/// Keeps the questions beyond this process, for all instances that share it. What it says has happened is on disk, and
/// of several that try the same at once, in any process, exactly one succeeds.
class ApprovalStore {
public:
    virtual ~ApprovalStore() = default;

    /// Takes up what is there; before anything else.
    virtual Result<KeptApprovals> open() = 0;
    virtual Task<Result<KeptApprovals>> read(const Context& ctx) = 0;
    virtual Task<Result<void>> add(const Context& ctx, PendingApproval question) = 0;
    /// The question as it is now. kNotFound: it is not open (any more).
    virtual Task<Result<StoredApproval>> answer(const Context& ctx, std::string id, StoredAnswer answer) = 0;
    /// True for the one who may run the call; the approval is gone by then.
    virtual Task<Result<bool>> use(const Context& ctx, std::string id) = 0;
    /// Removes what is over at `at_ms`, and gives it to who removed it; empty: it is not over, or not there.
    virtual Task<Result<std::optional<StoredApproval>>> expire(const Context& ctx, std::string id,
                                                               std::int64_t at_ms) = 0;
    /// Returns when another process may have changed something. Fails only with the context's own error.
    virtual Task<Result<void>> changed(const Context& ctx) = 0;
};

/// One private file for each question in `approvals/` of the state folder, changed under a lock on a thread of its own.
/// Takes over the `approvals.json` of earlier versions.
std::unique_ptr<ApprovalStore> make_folder_approval_store(std::filesystem::path state_dir);

}  // namespace gantry::gateway
