#include <csignal>

#include "surface/cli/run.hpp"

int main(int argc, char** argv) {
    // A peer that closes its end is an error value, not the end of the process.
    std::signal(SIGPIPE, SIG_IGN);
    return gantry::cli::run({argv + 1, argv + argc});
}
