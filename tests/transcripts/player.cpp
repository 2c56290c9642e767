#include "transcripts/player.hpp"

#include <gtest/gtest.h>

#include "transcripts/program.hpp"

namespace gantry::mcp::testing {
namespace {

Task<bool> play_line(Program& program, PlayedServer& server, const Line& line) {
    switch (line.mark) {
        case '*': co_return program.start(line.text);
        case '>': co_return co_await server.expect(line);
        case '<': co_return co_await server.say(line);
        case '=': co_return co_await program.expect_outcome(line.text);
        default: ADD_FAILURE() << "a line starts with *, >, <, =, % or #"; co_return false;
    }
}

}  // namespace

Task<void> play(std::vector<Line> lines, std::unique_ptr<PlayedServer> (*make_server)()) {
    const std::unique_ptr<PlayedServer> server = make_server();
    Program program(server->route());
    bool as_written = true;
    for (const Line& line : lines) {
        as_written = co_await play_line(program, *server, line);
        if (!as_written) {
            ADD_FAILURE() << "at line " << line.number << ": " << line.mark << " " << line.text;
            break;
        }
    }
    co_await program.end();
    co_await server->end(as_written);
}

}  // namespace gantry::mcp::testing
