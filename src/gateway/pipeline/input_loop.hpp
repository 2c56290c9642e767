#pragma once

#include <functional>

#include "base/clock.hpp"
#include "gateway/model/call.hpp"
#include "gateway/ports/output.hpp"
#include "gateway/ports/reply_line.hpp"
#include "io/context.hpp"

namespace gantry::gateway {

struct InputLimits {
    int max_rounds = 10;
    /// Timeout of one question; a person may be answering.
    Duration question = std::chrono::minutes(10);
    /// Minimum interval between rounds that ask nothing.
    Duration pace = milliseconds(250);
};

/// Runs a call at its source.
using Execute = std::function<Task<Result<Output>>(const Context& ctx, const AdmittedCall& call, ReplyLine& line)>;

/// For a source that answers `kInputRequired` and a caller that can be asked while it waits: sends every question on
/// the reply line, all of a round concurrently, and repeats the call with the answers until there is a final answer. A
/// tool call whose caller does not answer ends as a failed result; any other call as an Error.
Task<Result<Output>> answer_questions(const Context& ctx, const AdmittedCall& call, Output asked, ReplyLine& line,
                                      const Execute& execute, const InputLimits& limits);

}  // namespace gantry::gateway
