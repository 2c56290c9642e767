#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <iostream>

#include "surface/cli/app.hpp"
#include "surface/cli/exit_code.hpp"
#include "surface/cli/options.hpp"

namespace gantry::cli {

namespace {

Fields split_pairs(const std::vector<std::string>& texts, char separator, const char* what) {
    Fields pairs;
    for (const std::string& text : texts) {
        const auto at = text.find(separator);
        if (at == std::string::npos || at == 0)
            throw CLI::ValidationError(what, "expects NAME" + std::string(1, separator) + "VALUE");
        // Only a header's value may have space in front that is not part of it.
        const auto value = separator == ':' ? text.find_first_not_of(' ', at + 1) : at + 1;
        pairs.emplace_back(text.substr(0, at), value == std::string::npos ? std::string() : text.substr(value));
    }
    return pairs;
}

bool wants_color(const std::string& when) {
    if (when == "always") return true;
    if (when == "never" || std::getenv("NO_COLOR") != nullptr) return false;
    return isatty(STDOUT_FILENO) == 1;
}

void check_server(const Options& options) {
    if (options.command == Command::kCompletion) return;
    if (options.url.empty() && options.server_command.empty()) {
        throw CLI::ValidationError(
            "server", "say which server: --url URL, or a command after --, e.g. gantry tools -- npx -y some-server");
    }
    if (!options.url.empty() && !options.server_command.empty()) {
        throw CLI::ValidationError("server", "--url and a command after -- exclude each other");
    }
    if (!options.client_secret_env.empty() && std::getenv(options.client_secret_env.c_str()) == nullptr) {
        throw CLI::ValidationError("--client-secret-env", options.client_secret_env + " is not set");
    }
}

Options finish(const Raw& raw, Command command, std::vector<std::string> server_command) {
    Options options = raw.options;
    options.command = command;
    options.server_command = std::move(server_command);
    options.headers = split_pairs(raw.headers, ':', "--header");
    options.env = split_pairs(raw.env, '=', "--env");
    options.prompt_arguments = split_pairs(raw.prompt_arguments, '=', "ARGUMENT");
    options.timeout = std::chrono::milliseconds(static_cast<std::int64_t>(raw.timeout_seconds * 1000));
    options.color = wants_color(raw.color);
    if (!raw.log_level.empty()) options.log_level = mcp::parse_log_level(raw.log_level);
    check_server(options);
    return options;
}

}  // namespace

Parsed parse(const std::vector<std::string>& arguments, ExtraCommands extras) {
    // What follows "--" is the server's command line and none of our business.
    const auto dashes = std::ranges::find(arguments, "--");
    std::vector<std::string> ours(arguments.begin(), dashes);
    std::vector<std::string> server_command(dashes == arguments.end() ? dashes : dashes + 1, arguments.end());

    Raw raw;
    CLI::App app;
    const auto commands = describe(app, raw);
    const auto brought = describe_extras(app, extras);
    std::ranges::reverse(ours);  // CLI11 takes the rest of a vector from its end
    try {
        app.parse(std::move(ours));
        for (const auto& [subcommand, command] : commands) {
            if (subcommand->parsed()) return {.options = finish(raw, command, std::move(server_command))};
        }
        for (std::size_t i = 0; i < brought.size(); ++i) {
            if (!brought[i]->parsed()) continue;
            if (extras[i].take_words) extras[i].take_words(std::move(server_command));
            return {.extra = &extras[i]};
        }
        return {.exit_code = app.exit(CLI::CallForHelp())};
    } catch (const CLI::ParseError& error) {
        const bool asked = error.get_exit_code() == 0;
        app.exit(error, asked ? std::cout : std::cerr, std::cerr);
        return {.exit_code = asked ? 0 : static_cast<int>(ExitCode::kUsage)};
    }
}

}  // namespace gantry::cli
