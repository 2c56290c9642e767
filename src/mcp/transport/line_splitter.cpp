#include "mcp/transport/line_splitter.hpp"

#include <algorithm>
#include <cstring>
#include <string>

namespace gantry::mcp {
namespace {

constexpr std::size_t kFirstRoom = 64u << 10;
// A buffer that grew for a huge line is shrunk if this much of it is unused.
constexpr std::size_t kKeep = 1u << 20;

}  // namespace

std::span<char> LineSplitter::room() {
    if (begin_ == end_) {
        begin_ = scanned_ = end_ = 0;
        if (buffer_.size() > kKeep) buffer_ = std::vector<char>();
    } else if (begin_ > 0 && (end_ == buffer_.size() || end_ - begin_ < begin_)) {
        std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
        scanned_ -= begin_;
        end_ -= begin_;
        begin_ = 0;
    }
    if (end_ == buffer_.size()) {
        // Two bytes over the limit suffice to see a CRLF or to know that the line is too long.
        const std::size_t ceiling = std::max(kFirstRoom, max_line_bytes_ + 2);
        buffer_.resize(std::min(std::max(kFirstRoom, buffer_.size() * 2), std::max(ceiling, end_ + 1)));
    }
    return {buffer_.data() + end_, buffer_.size() - end_};
}

Result<std::optional<std::string_view>> LineSplitter::next() {
    const char* base = buffer_.data();
    const void* found = end_ > scanned_ ? std::memchr(base + scanned_, '\n', end_ - scanned_) : nullptr;
    std::size_t line_end = found ? static_cast<std::size_t>(static_cast<const char*>(found) - base) : end_;
    const std::size_t begin = begin_;
    scanned_ = found ? line_end + 1 : end_;
    if (found) begin_ = line_end + 1;
    if (line_end > begin && base[line_end - 1] == '\r') --line_end;
    if (line_end - begin > max_line_bytes_) {
        return fail(ErrorCode::kLimit,
                    "a line of the peer is longer than the limit of " + std::to_string(max_line_bytes_) + " bytes");
    }
    if (!found) return std::nullopt;
    return std::string_view(base + begin, line_end - begin);
}

std::string_view LineSplitter::take_part(bool& ended) noexcept {
    const char* base = buffer_.data();
    const std::size_t begin = begin_;
    const void* found = end_ > begin ? std::memchr(base + begin, '\n', end_ - begin) : nullptr;
    const std::size_t size =
        found ? static_cast<std::size_t>(static_cast<const char*>(found) - base) - begin : end_ - begin;
    ended = found != nullptr;
    begin_ = scanned_ = begin + size + (ended ? 1 : 0);
    return {base + begin, size};
}

}  // namespace gantry::mcp
