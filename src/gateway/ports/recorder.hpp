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

/// What became of a call, whatever it was. Views are valid during record() only.
struct Outcome {
    std::string_view correlation_id;
    Verb verb = Verb::kCallTool;
    std::string_view name;           // as the caller said it
    std::string_view own_name = {};  // as its source says it; empty: nothing was found
    const Item* item = nullptr;      // null: nothing was found, or no list names it
    std::string_view principal;      // empty: nobody was identified
    std::string_view source;         // empty: nothing was found
    std::string_view source_kind = {};
    std::string_view session = {};  // the client's, where it has one
    std::string_view client = {};   // the client program's own name
    TimePoint ended{};
    Duration took{};
    const Error* error = nullptr;  // null: there was an answer
    bool asked_back = false;
    bool tool_failed = false;  // it ran and says itself that it failed
    std::uint32_t attempts = 1;
    /// As they came. Whoever records keeps a digest at most, unless the operator wants more.
    std::string_view arguments = {};
    std::size_t result_bytes = 0;  // 0 for a streamed one
    TraceIds trace = {};
};

/// Keeps what happened.
class Recorder {
public:
    using Ticket = std::uint64_t;

    virtual ~Recorder() = default;

    /// Never fails, never waits. 0: the answer may go out; otherwise only when kept() has returned.
    virtual Ticket record(const Outcome& outcome) noexcept = 0;

    /// Returns when the record is on disk. An error: it is not, and the answer must not go out.
    virtual Task<Result<void>> kept(const Context& ctx, Ticket ticket) {
        static_cast<void>(ctx);
        static_cast<void>(ticket);
        co_return Result<void>();
    }

    /// Why nothing may run now: it could not be recorded. Null: go ahead.
    virtual const Error* refusal() const noexcept { return nullptr; }
};

}  // namespace gantry::gateway
