#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gantry/client.hpp"
#include "surface/cli/extra_command.hpp"

namespace gantry::cli {

enum class Command : std::uint8_t {
    kTools,
    kPrompts,
    kResources,
    kCall,
    kRead,
    kPrompt,
    kPing,
    kInspect,
    kTour,
    kCompletion,
    kHelp,
    kVersion,
};

/// The parsed command line, validated as far as possible without a server.
struct Options {
    Command command = Command::kInspect;

    // The server: a URL, the command after "--", or one of a configuration. None of them: the running gateway.
    std::string url;
    std::vector<std::string> server_command;
    std::string server_name;
    std::string config = "gantry.yaml";
    std::string state_dir;            // of the running gateway; empty: the user's
    int pid = 0;                      // which one, where several share a state folder
    bool is_running_gateway = false;  // `url` was found, not given
    Fields headers;
    Fields env;
    std::string cwd;
    HttpServer::Transport transport = HttpServer::Transport::kAuto;
    Era era = Era::kAuto;
    bool probe = false;
    std::string ca_file;

    // OAuth login at an HTTP server.
    bool login = false;
    std::string client_id;
    std::string client_secret_env;
    std::vector<std::string> scopes;
    bool open_browser = true;

    /// For the whole command: connect, list, call. Empty: the library's default for each step.
    std::optional<std::chrono::milliseconds> timeout;
    std::optional<mcp::LogLevel> log_level;
    bool json = false;
    bool trace = false;
    bool color = false;
    bool show_stderr = false;
    bool validate = true;

    /// Where to write the images, audio and binary data of a result.
    std::string output;

    // Operands of the command.
    std::string name;                    // tool, prompt or resource URI; shell of completion; topic of help
    bool offers = false;                 // print completions for the words after "--" instead of a script
    std::vector<std::string> arguments;  // of a tool: JSON text, "@file" or "-"; or KEY=VALUE …
    Fields prompt_arguments;
    std::string prefix;
};

/// The options to run with; or, when there is nothing to run, the exit code. Help and usage errors have already been
/// printed.
struct Parsed {
    std::optional<Options> options = {};
    /// The selected extra command, instead of options.
    const ExtraCommand* extra = nullptr;
    int exit_code = 0;
};
Parsed parse(const std::vector<std::string>& arguments, ExtraCommands extras = {});

/// The help of a command, of a topic ("exit-codes"), or of the whole program. Empty: no such topic.
std::optional<std::string> help_text(const std::string& topic, ExtraCommands extras = {});

}  // namespace gantry::cli
