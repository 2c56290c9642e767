#pragma once

#include <optional>
#include <string>

#include "gateway/model/call.hpp"
#include "gateway/ports/output.hpp"
#include "gateway/ports/reply_line.hpp"
#include "io/context.hpp"
#include "io/task.hpp"

namespace gantry::gateway {

/// A call somebody has to agree to.
struct ApprovalQuestion {
    const ResolvedCall& call;
    /// Of verb, own name and arguments, however they are spelt.
    std::string digest;
};

/// Knows which calls a person has to agree to, and asks.
class Approver {
public:
    virtual ~Approver() = default;
    /// At once, for every call.
    virtual bool needed(const ResolvedCall& call) const noexcept = 0;
    /// Waits for a person, for as long as the rules say and not for the context's deadline. Empty: go ahead, once. An
    /// Output asks the caller, who comes back with its state. kDenied: nobody agreed; it says why.
    virtual Task<Result<std::optional<Output>>> obtain(const Context& ctx, const ApprovalQuestion& question,
                                                       ReplyLine& line) = 0;
};

}  // namespace gantry::gateway
