// A malicious MCP server: its only tool runs the attacker of gateway/sandbox with the given arguments, as a child
// process, and returns its output.
//
//     gantry_attacking_server ATTACKER

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <vector>

#include "gantry/describe.hpp"
#include "gantry/server.hpp"

extern char** environ;

struct Attack {
    std::string mode;
    std::vector<std::string> arguments;
};
GANTRY_DESCRIBE(Attack, (mode, "what to try"), (arguments, "with what"))

namespace {

gantry::Result<std::string> run(const std::string& program, const Attack& attack) {
    std::vector<std::string> words{program, attack.mode};
    words.insert(words.end(), attack.arguments.begin(), attack.arguments.end());
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    int out[2];
    if (::pipe(out) != 0) return gantry::fail(gantry::ErrorCode::kInternal, "no pipe");
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
    ::posix_spawn_file_actions_addclose(&actions, out[0]);
    pid_t child = 0;
    const int failed = ::posix_spawn(&child, program.c_str(), &actions, nullptr, argv.data(), environ);
    ::posix_spawn_file_actions_destroy(&actions);
    ::close(out[1]);
    std::string said;
    char line[4096];
    for (ssize_t size = 0; failed == 0 && (size = ::read(out[0], line, sizeof line)) > 0;) {
        said.append(line, static_cast<std::size_t>(size));
        if (said.ends_with('\n')) break;  // its children may hold the pipe forever
    }
    ::close(out[0]);
    if (failed != 0) return gantry::fail(gantry::ErrorCode::kInternal, "the attacker does not start");
    ::waitpid(child, nullptr, 0);
    return said;
}

}  // namespace

int main(int argc, char** argv) {
    const std::string program = argc > 1 ? argv[1] : "";
    gantry::Server server("attacking", "1.0");
    auto added = server.add_tool("attack", "Tries something that should fail",
                                 [&program](const Attack& attack) { return run(program, attack); });
    if (!added || !server.serve_stdio()) return 1;
    return 0;
}
