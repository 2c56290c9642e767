#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "gantry/error.hpp"

namespace gantry::mcp {

/// Splits a byte stream into lines without copying: bytes are read directly into its buffer, lines are
/// views into it. Grows with the longest line, never beyond the limit.
class LineSplitter {
public:
    explicit LineSplitter(std::size_t max_line_bytes) : max_line_bytes_(max_line_bytes) {}

    /// Space for the next read; never empty. Invalidates earlier lines. Call only after next() returned empty.
    std::span<char> room();
    /// `size` bytes of room() have been filled.
    void filled(std::size_t size) noexcept { end_ += size; }

    /// The next line without its LF or CRLF, valid until room(). Empty: more bytes are needed. kLimit if the
    /// line is too long; the splitter is then unusable.
    Result<std::optional<std::string_view>> next();

    /// What is left without a newline at the end of the stream.
    std::string_view rest() const noexcept { return {buffer_.data() + begin_, end_ - begin_}; }

    /// For a line that is not collected here: returns and discards the part received so far; `ended` tells whether its
    /// LF was received too (it is not included). Valid until room().
    std::string_view take_part(bool& ended) noexcept;
    void set_limit(std::size_t max_line_bytes) noexcept { max_line_bytes_ = max_line_bytes; }

private:
    std::size_t max_line_bytes_;
    std::vector<char> buffer_;
    std::size_t begin_ = 0;    // of the current line
    std::size_t scanned_ = 0;  // no newline before this
    std::size_t end_ = 0;
};

}  // namespace gantry::mcp
