#pragma once

#include <string>
#include <vector>

namespace gantry::mcp::testing {

/// One step of a transcript.
struct Line {
    int number = 0;
    /// '*' an action of the program, '>' what the client must send, '<' what the server sends, '=' how the oldest
    /// unfinished '*' must end.
    char mark = ' ';
    std::string text;
    /// Indented lines with the same mark directly below: header fields and body of an HTTP message.
    std::vector<std::string> details;
};

/// Lines that start with '#' and blank lines are comments; "% NAME text" makes $NAME stand for the text from there on.
std::vector<Line> read_transcript(const std::string& path);

}  // namespace gantry::mcp::testing
