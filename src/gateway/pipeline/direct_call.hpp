#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "gantry/json.hpp"
#include "gateway/model/call.hpp"
#include "gateway/pipeline/pipeline.hpp"
#include "gateway/ports/reply_line.hpp"

namespace gantry::gateway {

/// A call that arrives through no surface: a public name and a JSON object. For an agent loop, REST and jobs; it takes
/// the same way through the pipeline as every other call.
struct DirectCall {
    Verb verb = Verb::kCallTool;
    /// A public tool or prompt name, a resource's URI, a task's id.
    std::string name;
    /// Of a tool or prompt; answers for kUpdateTask; `argument` for kComplete.
    JsonObject arguments = {};
    /// kComplete: whether `name` is a prompt or a resource template.
    ItemKind about = ItemKind::kTool;
    /// "" all, "servers/NAME", "groups/NAME".
    std::string scope = {};
    /// Continues a call that asked for input: its state, and the answers by the questions' keys.
    std::optional<std::string> state = {};
    JsonObject answers = {};
    /// Recorded with everything the call causes.
    std::string correlation_id = {};
    TraceIds trace = {};
};

struct DirectOutcome {
    Output::Kind kind = Output::Kind::kComplete;
    /// The result in the terms of `revision`; for kInputRequired the questions by key.
    Json result = {};
    mcp::Revision revision = mcp::kLatestRevision;
    /// The tool ran and reported an error itself.
    bool is_error = false;
    /// kInputRequired: see DirectCall::state; kTask: the task's id.
    std::optional<std::string> state = {};
};

/// Ignores progress and logs, and cannot be asked: questions become the outcome of the call.
class SilentLine final : public ReplyLine {
public:
    bool wants_progress() const noexcept override { return false; }
    void progress(std::string_view) override {}
    std::optional<mcp::LogLevel> log_level() const noexcept override { return std::nullopt; }
    void log(std::string_view) override {}
    bool can_ask() const noexcept override { return false; }
    Task<Result<std::string>> ask(const Context& ctx, std::string_view method, std::string params) override;
};

/// On whose behalf, and seen how. All must outlive the call.
struct DirectCaller {
    const std::shared_ptr<const Principal>& principal;
    const ClientTraits& client;
    const SnapshotPtr& snapshot;
    ReplyLine& line;
};

/// Runs the call. kLimit when the result has more than `max_result_bytes`; otherwise errors as of Pipeline::run().
Task<Result<DirectOutcome>> call_directly(const Context& ctx, Pipeline& pipeline, DirectCaller caller, DirectCall call,
                                          std::size_t max_result_bytes = 64u << 20);

}  // namespace gantry::gateway
