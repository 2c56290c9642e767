#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <map>

#include "base/url.hpp"
#include "surface/cli/app.hpp"
#include "surface/cli/exit_code.hpp"
#include "surface/cli/help.hpp"
#include "surface/cli/options.hpp"
#include "surface/cli/usage_error.hpp"

namespace gantry::cli {

namespace {

const std::map<std::string, HttpServer::Transport> kTransports = {
    {"auto", HttpServer::Transport::kAuto},
    {"http", HttpServer::Transport::kStreamableHttp},
    {"streamable-http", HttpServer::Transport::kStreamableHttp},
    {"sse", HttpServer::Transport::kSse}};
const std::map<std::string, Era> kEras = {{"auto", Era::kAuto}, {"legacy", Era::kLegacy}, {"modern", Era::kModern}};

[[noreturn]] void refuse(const std::string& text) {
    throw CLI::ValidationError(text, CLI::ExitCodes::ValidationError);
}

Fields split_pairs(const std::vector<std::string>& texts, char separator, const char* what) {
    Fields pairs;
    for (const std::string& text : texts) {
        const auto at = text.find(separator);
        if (at == std::string::npos || at == 0)
            throw CLI::ValidationError(what, "must be NAME" + std::string(1, separator) + "VALUE");
        // Only a header's value may have leading space that is not part of it.
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

bool talks_to_a_server(Command command) {
    return command != Command::kCompletion && command != Command::kHelp && command != Command::kVersion;
}

void check_server(const Options& options) {
    const int named = (options.url.empty() ? 0 : 1) + (options.server_command.empty() ? 0 : 1) +
                      (options.server_name.empty() ? 0 : 1);
    if (named > 1) refuse("name one server: --url URL, --server NAME or a program after --");
    if (!options.url.empty()) {
        if (const auto url = Url::parse(options.url); !url)
            throw CLI::ValidationError(
                "--url", "must be an http or https URL, e.g. http://localhost:3001/mcp: " + url.error().message());
    }
    if (!options.client_secret_env.empty() && std::getenv(options.client_secret_env.c_str()) == nullptr) {
        throw CLI::ValidationError("--client-secret-env",
                                   "names a variable that is not set: " + options.client_secret_env);
    }
}

Options finish(const Raw& raw, Command command, std::vector<std::string> server_command) {
    Options options = raw.options;
    options.command = command;
    options.server_command = std::move(server_command);
    options.transport = kTransports.at(raw.transport);
    options.era = kEras.at(raw.era);
    options.headers = split_pairs(raw.headers, ':', "--header");
    options.env = split_pairs(raw.env, '=', "--env");
    for (const std::string& text : raw.prompt_arguments) {
        if (!text.contains('=') || text.starts_with('=')) refuse("a prompt's arguments must be KEY=VALUE");
    }
    options.prompt_arguments = split_pairs(raw.prompt_arguments, '=', "arguments");
    if (raw.timeout_seconds > 0)
        options.timeout =
            std::chrono::milliseconds(std::max<std::int64_t>(1, std::llround(raw.timeout_seconds * 1000)));
    options.color = wants_color(raw.color);
    if (!raw.log_level.empty()) options.log_level = mcp::parse_log_level(raw.log_level);
    if (talks_to_a_server(command)) {
        check_server(options);
    } else if (!options.server_command.empty() && !options.offers) {
        refuse("this command starts no program: leave out --");
    }
    if (command == Command::kCompletion && options.name.empty() && !options.offers)
        refuse("gantry completion needs SHELL: bash, zsh or fish");
    return options;
}

/// Passes the words after "--" to the extra command.
void pass_words(const ExtraCommand& extra, std::vector<std::string> words) {
    if (extra.take_words) {
        extra.take_words(std::move(words));
    } else if (!words.empty()) {
        refuse("gantry " + extra.name + " starts no program: leave out --");
    }
}

Parsed report(const CLI::App& app, const CLI::ParseError& error) {
    // CLI11 reports --help and --version as exceptions; neither is an error.
    if (error.get_exit_code() == 0) {
        app.exit(error, std::cout, std::cerr);
        return {};
    }
    const UsageError usage = usage_error(app, error);
    std::cerr << "gantry: " << usage.text << "\nSee `" << usage.see << "`." << std::endl;
    return {.exit_code = static_cast<int>(ExitCode::kUsage)};
}

}  // namespace

Parsed parse(const std::vector<std::string>& arguments, ExtraCommands extras) {
    // Everything after "--" is the server's command line and is not parsed here.
    const auto dashes = std::ranges::find(arguments, "--");
    std::vector<std::string> ours(arguments.begin(), dashes);
    std::vector<std::string> program(dashes == arguments.end() ? dashes : dashes + 1, arguments.end());

    Raw raw;
    CLI::App app;
    auto commands = describe(app, raw);
    const auto brought = describe_extras(app, extras);
    for (const auto& about : describe_about(app, raw)) commands.push_back(about);
    std::ranges::reverse(ours);  // CLI11 consumes a vector from its end
    try {
        app.parse(std::move(ours));
        for (const auto& [subcommand, command] : commands) {
            if (subcommand->parsed()) return {.options = finish(raw, command, std::move(program))};
        }
        for (std::size_t i = 0; i < brought.size(); ++i) {
            if (!brought[i]->parsed()) continue;
            pass_words(extras[i], std::move(program));
            return {.extra = &extras[i]};
        }
        std::cout << app.help();
        return {};
    } catch (const CLI::ParseError& error) {
        return report(app, error);
    }
}

std::optional<std::string> help_text(const std::string& topic, ExtraCommands extras) {
    if (topic == "exit-codes") return std::string(exit_codes_help());
    Raw raw;
    CLI::App app;
    describe(app, raw);
    describe_extras(app, extras);
    describe_about(app, raw);
    if (topic.empty()) return app.help();
    for (const CLI::App* command : app.get_subcommands({})) {
        if (command->get_name() == topic) return command->help("gantry");
    }
    return std::nullopt;
}

}  // namespace gantry::cli
