#include <csignal>

#include "app/gateway/commands.hpp"
#include "surface/cli/run.hpp"

int main(int argc, char** argv) {
    // A peer that closes its end is an error value, not the end of the process.
    std::signal(SIGPIPE, SIG_IGN);
    const auto extras = gantry::app::gateway_commands();
    return gantry::cli::run({argv + 1, argv + argc}, extras);
}
