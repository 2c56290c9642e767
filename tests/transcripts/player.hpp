#pragma once

#include <string>
#include <vector>

#include "io/task.hpp"

namespace gantry::mcp::testing {

/// One line of a transcript without its mark.
struct Line {
    int number = 0;
    /// '*' something the program does, '>' what the client must send, '<' what the server sends,
    /// '=' how the oldest unfinished '*' must end.
    char mark = ' ';
    std::string text;
};

/// Lines that start with '#' and blank ones are for people.
std::vector<Line> read_transcript(const std::string& path);

/// Plays the server's side and the program's against a real client over memory; fails the test at the first line that
/// comes differently, naming it.
Task<void> play(std::vector<Line> lines);

}  // namespace gantry::mcp::testing
