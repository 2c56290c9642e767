#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "gateway/model/item.hpp"
#include "io/context.hpp"
#include "io/task.hpp"
#include "mcp/protocol/raw_message.hpp"

namespace gantry::gateway {

/// The remainder of a result that is too large to hold in memory.
class OutputStream {
public:
    virtual ~OutputStream() = default;
    /// The next piece of the result's JSON, valid until the next call; empty when the result is complete. After an
    /// error, the pieces already returned must not be taken for a complete result.
    virtual Task<Result<std::optional<std::string_view>>> next(const Context& ctx) = 0;
};

/// What a source answered. The result stays as it was received; the encoder makes the changes it needs.
struct Output {
    enum class Kind : std::uint8_t {
        kComplete,
        kInputRequired,  ///< the source asks for input; `state` resumes it
        kTask,           ///< the work continues after this answer
    };
    Kind kind = Kind::kComplete;
    /// The source's response, which contains result(). Unused with `stream`.
    mcp::RawMessage message = {};
    std::unique_ptr<OutputStream> stream = {};
    /// The protocol revision the result is written in.
    mcp::Revision revision = mcp::kLatestRevision;
    /// What was called, borrowed from the call's snapshot; set by the pipeline. Null for calls about a task or an
    /// unlisted resource.
    const Item* item = nullptr;

    /// kInputRequired: the questions as the JSON object `inputRequests`; may be empty.
    std::string questions = {};
    /// kInputRequired: the state that resumes the call; kTask: the task's id. In the source's own form until the
    /// pipeline seals it.
    std::optional<std::string> state = {};

    std::string_view result() const noexcept { return message.view().result.raw(); }
    const json::ResultView& view() const noexcept { return message.view().in_result; }
};

/// `{"jsonrpc":"2.0","result":<result>}`, for results that the gateway produces itself.
Output make_output(std::string_view result, mcp::Revision revision);

}  // namespace gantry::gateway
