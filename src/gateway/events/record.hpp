#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "gantry/error.hpp"
#include "gateway/model/call.hpp"
#include "gateway/model/trace.hpp"
#include "gateway/ports/event_sink.hpp"
#include "gateway/ports/recorder.hpp"

namespace gantry::gateway::events {

/// How a call ended, as reported in metrics and records.
enum class Ending : std::uint8_t { kOk, kToolFailed, kAskedBack, kError };

/// Machine-readable name of an error code, e.g. "not_found". Stable, whatever the human-readable messages say.
std::string_view error_word(ErrorCode code) noexcept;

/// One event on its way to the recorders: numbers, and views of texts truncated to what a record may hold. A call uses
/// the texts below; any other event uses `type`, `name` (its subject) and `data`.
struct Record {
    std::uint64_t number = 0;  // within this run; also counts records that are dropped later
    TimePoint at{};
    bool is_call = true;
    Verb verb = Verb::kCallTool;
    Ending ending = Ending::kOk;
    ErrorCode code = ErrorCode::kInternal;  // kError only
    bool has_digest = false;
    std::int64_t rpc_code = 0;  // the source's own code, with ErrorCode::kRpc
    Duration took{};
    std::uint32_t attempts = 1;
    std::uint64_t arguments_bytes = 0;
    std::uint64_t result_bytes = 0;
    std::array<std::uint8_t, 16> digest = {};
    TraceIds trace = {};

    enum Text : std::uint8_t {
        kCorrelation,
        kName,
        kOwnName,
        kSource,
        kSourceKind,
        kPrincipal,
        kSession,
        kClient,
        kMessage,
        kType,
        kData,
        kResult,
        kTexts
    };
    std::array<std::string_view, kTexts> texts = {};

    std::string_view type() const noexcept;
};

Record record_of(const Outcome& outcome);
/// `data` is event.data as JSON.
Record record_of(const GatewayEvent& event, std::string_view data);

/// Serialises the record into one buffer, to be read on another thread.
std::size_t packed_size(const Record& record) noexcept;
void pack(const Record& record, char* into) noexcept;
/// The texts are views of `bytes`, which pack() wrote.
Record unpack(std::string_view bytes) noexcept;

/// Appends the event's member `data` as JSON: everything about a call, or the event's own data.
void append_data(const Record& record, std::string& out);

}  // namespace gantry::gateway::events
