#include <csignal>

#include "app/control/commands.hpp"
#include "app/gateway/commands.hpp"
#include "app/setup/commands.hpp"
#include "surface/cli/manual.hpp"
#include "surface/cli/run.hpp"

int main(int argc, char** argv) {
    // A peer that closes its end is an error value, not the end of the process.
    std::signal(SIGPIPE, SIG_IGN);
    // So is a file that may not grow further.
    std::signal(SIGXFSZ, SIG_IGN);
    auto extras = gantry::app::gateway_commands();
    for (const auto& more : {gantry::app::control_commands(), gantry::app::setup_commands()}) {
        extras.insert(extras.end(), more.begin(), more.end());
    }
    extras.push_back(gantry::cli::manual_command());
    return gantry::cli::run({argv + 1, argv + argc}, extras);
}
