#include <csignal>

#include "app/commands/serve.hpp"
#include "app/control/commands.hpp"
#include "app/setup/commands.hpp"
#include "app/surroundings/surroundings.hpp"
#include "surface/cli/manual.hpp"
#include "surface/cli/run.hpp"

namespace {

using Commands = std::vector<gantry::cli::ExtraCommand>;

/// Lists the commands under a heading of `gantry help`, unless a command chose its own.
void add(Commands& all, Commands more, const char* group) {
    for (auto& command : more) {
        if (command.group == gantry::cli::ExtraCommand().group) command.group = group;
        all.push_back(std::move(command));
    }
}

}  // namespace

int main(int argc, char** argv) {
    // Writing to a closed peer is an error value, not the end of the process.
    std::signal(SIGPIPE, SIG_IGN);
    // The same for a file that exceeds its size limit.
    std::signal(SIGXFSZ, SIG_IGN);
    Commands extras;
    add(extras, gantry::app::setup_commands(), "Set up a configuration");
    add(extras, gantry::app::gateway_commands(), "Run a gateway");
    add(extras, gantry::app::control_commands(), "Operate a running gateway");
    extras.push_back(gantry::cli::manual_command());
    return gantry::cli::run({argv + 1, argv + argc}, extras, gantry::app::surroundings());
}
