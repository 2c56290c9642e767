#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>

namespace gantry::mcp {

/// The last few stderr lines of a child, truncated, for the error that reports its exit.
class StderrTail {
public:
    static constexpr std::size_t kLines = 5;
    static constexpr std::size_t kLineBytes = 200;

    void add(std::string_view line);
    /// "a | b | c", printable; empty if the child wrote nothing.
    std::string text() const;

private:
    std::deque<std::string> lines_;
};

/// At most `limit` bytes of `text` on one line: control characters become spaces, a cut UTF-8 sequence is removed.
std::string one_line(std::string_view text, std::size_t limit);

}  // namespace gantry::mcp
