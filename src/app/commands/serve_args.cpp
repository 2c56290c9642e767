#include "app/commands/serve_args.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>

#include "app/commands/demo_config.hpp"
#include "base/try.hpp"
#include "gateway/events/log.hpp"

namespace gantry::app {
namespace {

using gateway::LogLevel;
using gateway::events::Log;

/// The default configuration file of `serve` and `stdio`.
constexpr const char* kUsualFile = "gantry.yaml";

}  // namespace

void add_common_options(CLI::App& command, ServeArgs& args) {
    auto* config =
        command.add_option("-c,--config,file", args.config, "Configuration file (YAML or JSON); default gantry.yaml")
            ->check(CLI::ExistingFile.description(""))
            ->type_name("FILE");
    command.add_flag("--demo", args.demo, "Built-in tools to try things with, instead of a configuration")
        ->excludes(config);
    command.add_option("--state-dir", args.state_dir, "Folder for keys and names; default: under the user's data")
        ->type_name("DIR");
    command.add_flag("--no-watch", args.no_watch, "Do not reload when the file changes; gantry reload still does");
    command.add_flag("--log-calls", args.log_calls, "One line on stderr for every call");
    command.add_flag("--stderr", args.show_stderr, "Show what servers write to stderr");
}

Result<void> choose_config_file(ServeArgs& args) {
    if (args.demo || !args.config.empty()) return {};
    std::error_code error;
    if (!std::filesystem::exists(kUsualFile, error)) {
        return fail(ErrorCode::kInvalidArgument,
                    "there is no gantry.yaml in this folder. To begin:\n"
                    "  gantry init                      write a commented gantry.yaml\n"
                    "  gantry add NAME -- COMMAND …     or one with a first server\n"
                    "  gantry serve --config FILE       use another file\n"
                    "  gantry serve --demo              try the gateway with built-in tools");
    }
    args.config = kUsualFile;
    return {};
}

Result<Config> configuration_of(const ServeArgs& args, Redactor& redactor, const std::shared_ptr<PinnedFiles>& files) {
    Config config;
    if (args.demo) {
        config = demo_config();
    } else {
        GANTRY_TRY(config, load_config(args.config, &redactor, files));
    }
    if (!args.listen.empty()) config.listen = args.listen;
    if (!args.state_dir.empty()) config.state_dir = args.state_dir;
    if (args.log_calls) config.events.log.calls = true;
    // What the command line decides does not change with the file.
    if (!args.listen.empty()) config.settings.forget("listen");
    if (!args.state_dir.empty()) config.settings.forget("state_dir");
    if (args.log_calls) config.settings.forget("log.calls");
    return config;
}

void fit_connections(Config& config, std::size_t descriptors) {
    const std::size_t others = std::min<std::size_t>(descriptors / 4, 512);
    const std::size_t most = descriptors - others;
    if (descriptors == 0 || config.max_connections <= most) return;
    config.warnings.push_back("the system allows " + std::to_string(descriptors) + " open files: only " +
                              std::to_string(most) + " connections are accepted, not " +
                              std::to_string(config.max_connections) + "; raise the limit (ulimit -Hn, LimitNOFILE)");
    config.max_connections = most;
}

Notes notes_for(const ServeArgs& args, std::shared_ptr<Redactor> redactor, Log& log) {
    Notes notes{.log = &log, .redactor = std::move(redactor)};
    notes.note = [&log](std::string_view text) { log.write(LogLevel::kWarning, text); };
    notes.server_note = [&log](std::string_view server, std::string_view text) {
        log.write(LogLevel::kWarning, text, {{"server", server}});
    };
    // Kept for `gantry logs` in any case.
    notes.server_stderr = [&log, told = args.show_stderr](std::string_view server, std::string_view line) {
        log.write_stderr(server, line, told);
    };
    return notes;
}

}  // namespace gantry::app
