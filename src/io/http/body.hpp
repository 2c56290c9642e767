#pragma once

#include <cstdint>
#include <limits>
#include <string_view>

#include "io/http/chunked.hpp"
#include "io/http/framing.hpp"
#include "io/http/input.hpp"

namespace gantry::http {

/// Takes one message's body out of an Input, piece by piece. Does no reading itself.
class BodyReader {
public:
    static constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();

    void start(Framing framing, std::uint64_t limit = kNoLimit);

    /// What has arrived, as one view into `input` that stays until the next call (which releases it); empty when
    /// more has to be read first or when done(). 413 beyond the limit.
    Accepted<std::string_view> take(Input& input);
    /// The peer finished sending: fine only where the end of the connection is the end of the body.
    Accepted<void> end_of_input();
    /// Everything has been taken.
    bool done() const noexcept { return done_; }
    /// Releases the last view, so that the bytes behind it can be looked at.
    void release(Input& input) noexcept;

    /// How much the next read may bring.
    std::size_t expected(const Input& input) const noexcept;
    std::uint64_t received() const noexcept { return received_; }

private:
    Framing framing_;
    bool done_ = true;
    std::size_t lent_ = 0;  // bytes of input behind the last view
    std::uint64_t received_ = 0;
    std::uint64_t limit_ = kNoLimit;
    ChunkDecoder chunks_;
};

}  // namespace gantry::http
