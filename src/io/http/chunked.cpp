#include "io/http/chunked.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>

#include "io/http/ascii.hpp"

namespace gantry::http {
namespace {

int hex_value(char c) noexcept {
    if (is_digit(c)) return c - '0';
    const char lower = to_lower(c);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

}  // namespace

Accepted<ChunkDecoder::Step> ChunkDecoder::decode(std::span<char> input) {
    std::size_t at = 0;
    std::size_t data_begin = 0;
    std::size_t data_end = 0;
    while (at < input.size() && state_ != State::kDone) {
        if (state_ != State::kData) {
            if (auto taken = coding_byte(input[at]); !taken) return std::unexpected(taken.error());
            ++at;
            continue;
        }
        const auto run = static_cast<std::size_t>(std::min<std::uint64_t>(remaining_, input.size() - at));
        if (data_end == data_begin) {
            data_begin = data_end = at;
        } else {
            std::memmove(input.data() + data_end, input.data() + at, run);
        }
        data_end += run;
        at += run;
        remaining_ -= run;
        if (remaining_ == 0) state_ = State::kDataCr;
    }
    return Step{.consumed = at, .data = {input.data() + data_begin, data_end - data_begin}};
}

Accepted<void> ChunkDecoder::coding_byte(char c) {
    switch (state_) {
        case State::kSize: return size_byte(c);
        case State::kExtension: return extension_byte(c);
        case State::kSizeLf:
            if (c != '\n') return refuse("bad line end in a chunk header");
            return end_size_line();
        case State::kDataCr:
            if (c != '\r') return refuse("chunk longer than its size");
            state_ = State::kDataLf;
            return {};
        case State::kDataLf:
            if (c != '\n') return refuse("bad line end after a chunk");
            state_ = State::kSize;
            digits_ = 0;
            return {};
        case State::kTrailer:
            if (c == '\r') {
                state_ = State::kTrailerLf;
                return {};
            }
            if (c == '\n') return refuse("line ends in LF without CR");
            if (++trailer_bytes_ > kMaxTrailerBytes) return refuse("trailers too large", 431);
            trailer_.push_back(c);
            return {};
        case State::kTrailerLf:
            if (c != '\n') return refuse("bad line end in a trailer");
            return end_trailer();
        case State::kData:
        case State::kDone: break;
    }
    return {};
}

Accepted<void> ChunkDecoder::size_byte(char c) {
    if (const int digit = hex_value(c); digit >= 0) {
        // 15 digits are about 10^18 bytes and cannot overflow.
        if (++digits_ > 15) return refuse("bad chunk size");
        remaining_ = remaining_ * 16 + static_cast<std::uint64_t>(digit);
        return {};
    }
    if (digits_ == 0) return refuse("bad chunk size");
    if (c == '\r') {
        state_ = State::kSizeLf;
        return {};
    }
    in_extension_ = false;
    state_ = State::kExtension;
    return extension_byte(c);
}

Accepted<void> ChunkDecoder::extension_byte(char c) {
    if (c == '\r') {
        // "5 \r\n": blanks without an extension could hide "5 5".
        if (!in_extension_) return refuse("bad chunk size");
        state_ = State::kSizeLf;
        return {};
    }
    if (!in_extension_ && c != ';' && !is_blank(c)) return refuse("bad chunk size");
    in_extension_ |= c == ';';
    if (!is_field_text({&c, 1})) return refuse("control character in a chunk extension");
    if (++extension_bytes_ > kMaxExtensionBytes) return refuse("chunk extensions too large", 413);
    return {};
}

Accepted<void> ChunkDecoder::end_size_line() {
    trailer_.clear();
    state_ = remaining_ == 0 ? State::kTrailer : State::kData;
    return {};
}

Accepted<void> ChunkDecoder::end_trailer() {
    if (trailer_.empty()) {
        state_ = State::kDone;
        return {};
    }
    if (++trailers_ > kMaxTrailers) return refuse("too many trailers", 431);
    auto checked = check_field_line(trailer_);
    trailer_.clear();
    state_ = State::kTrailer;
    return checked;
}

std::string_view chunk_size_line(std::span<char, 24> buffer, std::size_t size) noexcept {
    char* const end = std::to_chars(buffer.data(), buffer.data() + 16, size, 16).ptr;
    std::memcpy(end, "\r\n", 2);
    return {buffer.data(), static_cast<std::size_t>(end - buffer.data()) + 2};
}

void append_chunk(std::string& out, std::string_view data) {
    if (data.empty()) return;
    std::array<char, 24> buffer;
    out.append(chunk_size_line(buffer, data.size())).append(data).append(kChunkEnd);
}

}  // namespace gantry::http
