#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "io/http/head.hpp"

namespace gantry::http {

/// Decodes the chunked coding incrementally, however the bytes are split. Extensions and trailers are
/// validated and dropped; both are limited, because a peer can send them at no cost.
class ChunkDecoder {
public:
    struct Step {
        std::size_t consumed = 0;  // from the start of the input
        std::string_view data;     // inside the input; empty when only coding was consumed
    };

    /// Decodes all of `input` up to the body's end. Data of several chunks is compacted
    /// within `input`, so that many small chunks yield one piece.
    Accepted<Step> decode(std::span<char> input);
    bool done() const noexcept { return state_ == State::kDone; }

    /// Limits of extension and trailer bytes in one body.
    static constexpr std::size_t kMaxExtensionBytes = 16u << 10;
    static constexpr std::size_t kMaxTrailerBytes = 16u << 10;
    static constexpr std::size_t kMaxTrailers = 64;

private:
    enum class State : std::uint8_t {
        kSize,
        kExtension,
        kSizeLf,
        kData,
        kDataCr,
        kDataLf,
        kTrailer,
        kTrailerLf,
        kDone,
    };
    Accepted<void> coding_byte(char c);
    Accepted<void> size_byte(char c);
    Accepted<void> extension_byte(char c);
    Accepted<void> end_size_line();
    Accepted<void> end_trailer();

    State state_ = State::kSize;
    bool in_extension_ = false;
    std::uint8_t digits_ = 0;
    std::uint64_t remaining_ = 0;
    std::size_t extension_bytes_ = 0;
    std::size_t trailer_bytes_ = 0;
    std::size_t trailers_ = 0;
    std::string trailer_;
};

/// `data` as one chunk. Empty data adds nothing: an empty chunk would end the body.
void append_chunk(std::string& out, std::string_view data);
/// Only the "size CRLF" before `size` bytes, written to `buffer`.
std::string_view chunk_size_line(std::span<char, 24> buffer, std::size_t size) noexcept;
inline constexpr std::string_view kChunkEnd = "\r\n";
inline constexpr std::string_view kLastChunk = "0\r\n\r\n";
inline constexpr std::string_view kChunkEndAndLast = "\r\n0\r\n\r\n";

}  // namespace gantry::http
