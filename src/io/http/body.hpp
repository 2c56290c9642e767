#pragma once

#include <cstdint>
#include <limits>
#include <string_view>

#include "io/http/chunked.hpp"
#include "io/http/framing.hpp"
#include "io/http/input.hpp"

namespace gantry::http {

/// Extracts one message's body from an Input, piece by piece. Performs no I/O itself.
class BodyReader {
public:
    static constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();

    void start(Framing framing, std::uint64_t limit = kNoLimit);

    /// The available bytes, as a view into `input` that is valid until the next call (which releases it); empty if more
    /// has to be read first or if done(). 413 beyond the limit.
    Accepted<std::string_view> take(Input& input);
    /// End of stream: valid only if the body is delimited by the end of the connection.
    Accepted<void> end_of_input();
    /// The body is complete.
    bool done() const noexcept { return done_; }
    /// Releases the last view, so that the bytes after it can be accessed.
    void release(Input& input) noexcept;

    /// Size hint for the next read.
    std::size_t expected(const Input& input) const noexcept;
    std::uint64_t received() const noexcept { return received_; }

private:
    Framing framing_;
    bool done_ = true;
    std::size_t lent_ = 0;  // size of the last view in the input
    std::uint64_t received_ = 0;
    std::uint64_t limit_ = kNoLimit;
    ChunkDecoder chunks_;
};

}  // namespace gantry::http
