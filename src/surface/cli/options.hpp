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
};

/// What the command line said, checked as far as that is possible without a server.
struct Options {
    Command command = Command::kInspect;

    // The server: a URL, or the command after "--".
    std::string url;
    std::vector<std::string> server_command;
    Fields headers;
    Fields env;
    std::string cwd;
    HttpServer::Transport transport = HttpServer::Transport::kAuto;
    Era era = Era::kAuto;
    bool probe = false;
    std::string ca_file;

    // Logging in to an HTTP server.
    bool login = false;
    std::string client_id;
    std::string client_secret_env;
    std::vector<std::string> scopes;
    bool open_browser = true;

    std::chrono::milliseconds timeout{30'000};
    std::optional<mcp::LogLevel> log_level;
    bool json = false;
    bool trace = false;
    bool color = false;
    bool show_stderr = false;
    bool validate = true;

    // Operands of the command.
    std::string name;                    // tool, prompt or resource URI; shell of completion
    std::vector<std::string> arguments;  // of a tool: JSON text, "@file" or "-"; or KEY=VALUE …
    Fields prompt_arguments;
    std::string prefix;
};

/// Says what was wrong (or helps) on the right stream and gives the exit code, or the options to run with.
struct Parsed {
    std::optional<Options> options = {};
    /// The brought-along command that was named, instead of options.
    const ExtraCommand* extra = nullptr;
    int exit_code = 0;
};
Parsed parse(const std::vector<std::string>& arguments, ExtraCommands extras = {});

/// The script that makes `shell` (bash, zsh or fish) complete gantry's commands and options.
std::optional<std::string> completion_script(const std::string& shell, ExtraCommands extras = {});

}  // namespace gantry::cli
