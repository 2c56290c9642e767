#pragma once

#include <memory>
#include <string>

#include "io/http/client.hpp"
#include "mcp/client/relay.hpp"
#include "mcp/transport/event_source.hpp"

namespace gantry::mcp {

/// Where the bytes of an answer come from, one after the other.
class AnswerBytes {
public:
    virtual ~AnswerBytes() = default;
    /// The next ones, valid until the next call; empty: the answer is over.
    virtual Task<Result<std::optional<std::string_view>>> read(const Context& ctx) = 0;
    /// Nobody wants the rest: closes the connection.
    virtual void abort() noexcept = 0;
};

/// An answer under way.
struct AnswerReading {
    std::unique_ptr<AnswerBytes> bytes;
    /// What has been read of it. At the end all of it, unless there is a stream.
    std::string held;
    std::unique_ptr<RelayStream> stream;
    /// Refuse lone surrogates instead of replacing them.
    bool strict = false;
};

/// Goes on with the answer to `id` that is too long to be held: `stream` gives its result, of which the first byte has
/// been seen. An error answer is held all the same, up to a megabyte. `cap`: when the whole call is over.
Task<Result<void>> stream_answer(const Context& ctx, const RelayRequest& request, std::int64_t id, Deadline cap,
                                 AnswerReading& reading);

/// Reads a JSON body of which reading.held is known already: whole up to request.hold_bytes, beyond that as
/// stream_answer() does.
Task<Result<void>> read_body(const Context& ctx, const RelayRequest& request, std::int64_t id, Deadline cap,
                             http::Response response, AnswerReading& reading);

/// The rest of an event that `source` hands out in parts. When it is over the connection is free for others if the
/// stream ended with it.
std::unique_ptr<AnswerBytes> bytes_of_event(EventSource source);

}  // namespace gantry::mcp
