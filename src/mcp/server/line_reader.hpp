#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "io/stream.hpp"

namespace gantry::mcp {

/// Splits a stream into lines.
class LineReader {
public:
    LineReader(Stream& stream, std::size_t max_line) : stream_(stream), max_line_(max_line) {}

    /// The next line without LF or CRLF, valid until the next call; blank lines are returned empty. Empty optional: end
    /// of stream. kLimit: a line was too long and has been skipped; reading may continue.
    Task<Result<std::optional<std::string_view>>> next(const Context& ctx);

private:
    Stream& stream_;
    std::size_t max_line_;
    std::string buffer_;
    std::size_t begin_ = 0;    // of the current line
    std::size_t scanned_ = 0;  // no line end before this
    bool skipping_ = false;
    bool ended_ = false;
};

}  // namespace gantry::mcp
