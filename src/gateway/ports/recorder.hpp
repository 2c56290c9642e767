#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "base/clock.hpp"
#include "gantry/error.hpp"
#include "gateway/model/call.hpp"

namespace gantry::gateway {

/// What became of a call, whatever it was. Views are valid during record() only.
struct Outcome {
    std::string_view correlation_id;
    Verb verb = Verb::kCallTool;
    std::string_view name;       // as the caller said it
    std::string_view principal;  // empty: nobody was identified
    std::string_view source;     // empty: nothing was found
    Duration took{};
    const Error* error = nullptr;  // null: there was an answer
    bool asked_back = false;
    std::size_t result_bytes = 0;  // 0 for a streamed one
};

/// Keeps what happened. Never fails, never waits.
class Recorder {
public:
    virtual ~Recorder() = default;
    virtual void record(const Outcome& outcome) noexcept = 0;
};

}  // namespace gantry::gateway
