#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/clock.hpp"
#include "gantry/error.hpp"
#include "gateway/model/call.hpp"
#include "gateway/model/trace.hpp"
#include "io/context.hpp"
#include "io/task.hpp"

namespace gantry::gateway {

/// The outcome of one call, of any verb. Views are valid during record() only.
struct Outcome {
    std::string_view correlation_id;
    Verb verb = Verb::kCallTool;
    std::string_view name;           // as the caller spelt it
    std::string_view own_name = {};  // the source's own name; empty when the name did not resolve
    const Item* item = nullptr;      // null when the name did not resolve or no list names it
    std::string_view principal;      // empty when the caller was not identified
    std::string_view source;         // empty when the name did not resolve
    std::string_view source_kind = {};
    std::string_view session = {};  // the client's session id, if it has one
    std::string_view client = {};   // the client program's own name
    TimePoint ended{};
    Duration took{};
    const Error* error = nullptr;  // null when the call was answered
    bool asked_back = false;
    bool tool_failed = false;  // the tool ran and reported an error itself
    std::uint32_t attempts = 1;
    /// As received. A recorder keeps at most a digest unless the operator configures more.
    std::string_view arguments = {};
    std::size_t result_bytes = 0;  // 0 for a streamed result
    /// As received; empty unless the call completed with a result that is held in memory. Recorded only if the operator
    /// configures that.
    std::string_view result = {};
    TraceIds trace = {};
};

/// Records the outcome of calls.
class Recorder {
public:
    using Ticket = std::uint64_t;

    virtual ~Recorder() = default;

    /// Never fails and never waits. 0: the answer may be sent at once; otherwise only after kept() has returned.
    virtual Ticket record(const Outcome& outcome) noexcept = 0;

    /// Returns when the record is durable. On an error it is not, and the answer must not be sent.
    virtual Task<Result<void>> kept(const Context& ctx, Ticket ticket) {
        static_cast<void>(ctx);
        static_cast<void>(ticket);
        co_return Result<void>();
    }

    /// The reason to refuse calls while they could not be recorded; null when calls may run.
    virtual const Error* refusal() const noexcept { return nullptr; }
};

}  // namespace gantry::gateway
