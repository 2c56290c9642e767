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

/// The rest of a result too large to hold.
class OutputStream {
public:
    virtual ~OutputStream() = default;
    /// The next piece of the result's JSON, valid until the next call; empty: complete. After an error nothing that was
    /// handed out may be taken for whole.
    virtual Task<Result<std::optional<std::string_view>>> next(const Context& ctx) = 0;
};

/// What a source answered. The result stays as it came; whoever encodes it changes what has to change.
struct Output {
    enum class Kind : std::uint8_t {
        kComplete,
        kInputRequired,  ///< the source asks back; `state` resumes it
        kTask,           ///< goes on after this answer
    };
    Kind kind = Kind::kComplete;
    /// The source's response; result() is inside. Unused with `stream`.
    mcp::RawMessage message = {};
    std::unique_ptr<OutputStream> stream = {};
    /// In whose terms the result is.
    mcp::Revision revision = mcp::kLatestRevision;
    /// What was called; set by the pipeline. Null where the call was about a task or an unlisted resource.
    ItemPtr item = {};

    /// kInputRequired: the questions as the JSON object `inputRequests`; empty: none.
    std::string questions = {};
    /// kInputRequired: what resumes the call; kTask: the task's id. In the source's own words until the pipeline
    /// seals it.
    std::optional<std::string> state = {};

    std::string_view result() const noexcept { return message.view().result.raw(); }
    const json::ResultView& view() const noexcept { return message.view().in_result; }
};

/// `{"jsonrpc":"2.0","result":<result>}` for results made here.
Output make_output(std::string_view result, mcp::Revision revision);

}  // namespace gantry::gateway
