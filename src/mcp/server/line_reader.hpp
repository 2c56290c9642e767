#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "io/stream.hpp"

namespace gantry::mcp {

/// Cuts what comes from a stream into lines.
class LineReader {
public:
    LineReader(Stream& stream, std::size_t max_line) : stream_(stream), max_line_(max_line) {}

    /// The next line without LF or CRLF, valid until the next call; blank ones are empty. Empty optional: the end.
    /// kLimit: a line was longer than allowed; it has been skipped and reading goes on.
    Task<Result<std::optional<std::string_view>>> next(const Context& ctx);

private:
    Stream& stream_;
    std::size_t max_line_;
    std::string buffer_;
    std::size_t begin_ = 0;    // of the line being looked for
    std::size_t scanned_ = 0;  // no line end before this
    bool skipping_ = false;
    bool ended_ = false;
};

}  // namespace gantry::mcp
