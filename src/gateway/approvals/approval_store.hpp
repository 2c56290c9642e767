#pragma once

#include <filesystem>
#include <memory>
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
};

/// Keeps the questions beyond this process.
class ApprovalStore {
public:
    virtual ~ApprovalStore() = default;
    /// Before the loop runs.
    virtual Result<std::vector<StoredApproval>> load() = 0;
    /// All there are; on disk when it returns. Later ones win.
    virtual Task<Result<void>> save(const Context& ctx, std::vector<StoredApproval> all) = 0;
};

/// In `approvals.json` of a private folder, written on a thread of its own.
std::unique_ptr<ApprovalStore> make_file_approval_store(std::filesystem::path folder);

}  // namespace gantry::gateway
