#pragma once

#include <memory>
#include <string>

#include "io/http/client.hpp"
#include "mcp/client/relay.hpp"
#include "mcp/transport/event_source.hpp"

namespace gantry::mcp {

/// A source of the bytes of an answer.
class AnswerBytes {
public:
    virtual ~AnswerBytes() = default;
    /// The next bytes, valid until the next call; empty: end of the answer.
    virtual Task<Result<std::optional<std::string_view>>> read(const Context& ctx) = 0;
    /// Abandons the rest: closes the connection.
    virtual void abort() noexcept = 0;
};

/// An answer being read.
struct AnswerReading {
    std::unique_ptr<AnswerBytes> bytes;
    /// The bytes read so far. At the end the whole answer, unless there is a stream.
    std::string held;
    std::unique_ptr<RelayStream> stream;
    /// Reject lone surrogates instead of replacing them.
    bool strict = false;
};

/// Continues reading an answer to `id` that is too long to hold: `stream` yields its result, whose first byte has been
/// seen. An error answer is held all the same, up to a megabyte. `cap`: deadline of the whole call.
Task<Result<void>> stream_answer(const Context& ctx, const RelayRequest& request, std::int64_t id, Deadline cap,
                                 AnswerReading& reading);

/// Reads a JSON body that starts with reading.held: completely up to request.hold_bytes, beyond that like
/// stream_answer().
Task<Result<void>> read_body(const Context& ctx, const RelayRequest& request, std::int64_t id, Deadline cap,
                             http::Response response, AnswerReading& reading);

/// The rest of an event that `source` hands out in parts. At its end the connection is reusable if the stream ended
/// with the event.
std::unique_ptr<AnswerBytes> bytes_of_event(EventSource source);

}  // namespace gantry::mcp
