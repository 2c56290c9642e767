#pragma once

#include "base/try.hpp"
#include "gantry/mcp/tasks.hpp"
#include "mcp/protocol/codec.hpp"
#include "mcp/protocol/method.hpp"

namespace gantry::mcp {

/// The kind of a result, determined by its discriminator and never by its shape.
enum class ResultKind : std::uint8_t { kComplete, kInputRequired, kTask, kUnknown };

/// An absent discriminator means complete. Legacy results have none and are always complete.
ResultKind result_kind(const Json& result, Revision revision) noexcept;

/// Fails with kProtocol for results that `info`'s method does not allow in that revision: an unknown result type,
/// input_required or a task where not allowed, input_required without questions.
Result<ResultKind> check_result(const Json& result, Revision revision, const MethodInfo& info);

/// The answer to a request that may require input or become a task.
template <class T>
using Answer = std::variant<T, InputRequired, CreateTaskResult>;

/// `as_task`: the request was sent with `task` at 2025-11-25, so a `task` object is the answer.
template <class T>
Result<Answer<T>> decode_answer(const Json& result, Revision revision, const MethodInfo& info, bool as_task = false) {
    GANTRY_TRY(const ResultKind kind, check_result(result, revision, info));
    if (kind == ResultKind::kInputRequired) {
        GANTRY_TRY(auto asked, decode<InputRequired>(result, revision));
        return Answer<T>(std::move(asked));
    }
    if (kind == ResultKind::kTask || (as_task && !is_modern(revision) && result.find("task") != nullptr)) {
        GANTRY_TRY(auto task, decode<CreateTaskResult>(result, revision));
        return Answer<T>(std::move(task));
    }
    GANTRY_TRY(auto value, decode<T>(result, revision));
    return Answer<T>(std::move(value));
}

}  // namespace gantry::mcp
