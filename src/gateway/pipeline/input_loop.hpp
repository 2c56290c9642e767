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
    /// For one question; a person may be answering.
    Duration question = std::chrono::minutes(10);
    /// Between rounds that ask nothing.
    Duration pace = milliseconds(250);
};

/// Runs a call at its source.
using Execute = std::function<Task<Result<Output>>(const Context& ctx, const AdmittedCall& call, ReplyLine& line)>;

/// A source that asks by answering `kInputRequired`, and a caller that can be asked while it waits: asks every question
/// on the line, all of a round at once, and says the call again with the answers, until there is a final answer.
/// A tool call whose caller does not answer ends as a failed result; anything else as an Error.
Task<Result<Output>> answer_questions(const Context& ctx, const AdmittedCall& call, Output asked, ReplyLine& line,
                                      const Execute& execute, const InputLimits& limits);

}  // namespace gantry::gateway
