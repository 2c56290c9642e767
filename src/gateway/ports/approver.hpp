#pragma once

#include <optional>
#include <string>

#include "gateway/model/call.hpp"
#include "gateway/ports/output.hpp"
#include "gateway/ports/reply_line.hpp"
#include "io/context.hpp"
#include "io/task.hpp"

namespace gantry::gateway {

/// A call that needs a person's approval.
struct ApprovalQuestion {
    const ResolvedCall& call;
    /// Covers verb, own name and arguments; independent of how the JSON is spelt.
    std::string digest;
};

/// Obtains a person's approval. Which calls need one is decided by the guard.
class Approver {
public:
    virtual ~Approver() = default;
    /// Whether a call resumes an approval that was asked for earlier, rather than a question of its source.
    virtual bool resumes_approval(std::string_view state) const noexcept = 0;
    /// Waits for a person, for as long as the approval rules say rather than until the context's deadline. Empty:
    /// approved, for this call only. An Output asks the caller, who comes back with its state. kDenied: not approved;
    /// the message says why.
    virtual Task<Result<std::optional<Output>>> obtain(const Context& ctx, const ApprovalQuestion& question,
                                                       ReplyLine& line) = 0;
};

}  // namespace gantry::gateway
