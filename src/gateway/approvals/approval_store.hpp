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

/// The state of a question.
enum class ApprovalState : std::uint8_t { kPending, kApproved, kRejected };

struct StoredApproval {
    PendingApproval approval;
    ApprovalState state = ApprovalState::kPending;
    std::string reason = {};  // in the words of the approver
};

/// An approver's answer, and until when it is valid.
struct StoredAnswer {
    bool approved = false;
    std::string reason = {};
    std::int64_t expires_ms = 0;
};

/// The contents of the store.
struct KeptApprovals {
    std::vector<StoredApproval> all = {};
    /// Sentences about entries that could not be read, each reported once. An unreadable entry approves nothing.
    std::vector<std::string> trouble = {};
};

/// Stores questions beyond this process, shared by all instances. Every completed change is durable, and of several
/// concurrent attempts to make the same change, in any process, exactly one succeeds.
class ApprovalStore {
public:
    virtual ~ApprovalStore() = default;

    /// Loads what is stored; call it first.
    virtual Result<KeptApprovals> open() = 0;
    virtual Task<Result<KeptApprovals>> read(const Context& ctx) = 0;
    virtual Task<Result<void>> add(const Context& ctx, PendingApproval question) = 0;
    /// The question as it is now. kNotFound: it is not open, or no longer.
    virtual Task<Result<StoredApproval>> answer(const Context& ctx, std::string id, StoredAnswer answer) = 0;
    /// Consumes the approval. True for the one caller that may now run the call.
    virtual Task<Result<bool>> use(const Context& ctx, std::string id) = 0;
    /// Removes a question that has expired at `at_ms` and returns it to the remover; empty: not expired, or not there.
    virtual Task<Result<std::optional<StoredApproval>>> expire(const Context& ctx, std::string id,
                                                               std::int64_t at_ms) = 0;
    /// Returns when another process may have changed something. Fails only with the context's own error.
    virtual Task<Result<void>> changed(const Context& ctx) = 0;
};

/// Stores each question in a private file in `approvals/` of the state folder; changes are made under a lock on a
/// dedicated thread. Migrates the `approvals.json` of earlier versions.
std::unique_ptr<ApprovalStore> make_folder_approval_store(std::filesystem::path state_dir);

}  // namespace gantry::gateway
