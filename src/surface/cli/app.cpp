#include "surface/cli/app.hpp"

#include <charconv>
#include <cmath>

#include "base/version.hpp"
#include "surface/cli/help.hpp"

namespace gantry::cli {

namespace {

const std::vector<std::string> kLevels = {"debug", "info",     "notice", "warning",
                                          "error", "critical", "alert",  "emergency"};
constexpr double kLongestTimeout = 86'400;

constexpr const char* kTalk = "Talk to a server";
constexpr const char* kAbout = "About gantry";

/// Accepts one of a few words. CLI11's own description of the choice would repeat the option's.
CLI::Validator one_of(std::vector<std::string> words) {
    return CLI::IsMember(std::move(words)).description("");
}

std::string check_seconds(const std::string& text) {
    double seconds = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
    const bool number = error == std::errc() && end == text.data() + text.size() && std::isfinite(seconds);
    if (number && seconds > 0 && seconds <= kLongestTimeout) return {};
    return "must be a number of seconds above 0 and up to 86400, e.g. 2.5, not '" + text + "'";
}

void add_target(CLI::App& command, Raw& raw) {
    Options& options = raw.options;
    command.add_option("--url", options.url, "URL of an HTTP server")->group("Server");
    command
        .add_option("--server", options.server_name,
                    "Server of a configuration, started and isolated as configured there")
        ->type_name("NAME")
        ->group("Server");
    command.add_option("-c,--config", options.config, "Configuration that contains --server; default gantry.yaml")
        ->type_name("FILE")
        ->group("Server");
    command
        .add_option("--state-dir", options.state_dir,
                    "State folder of the running gateway, which is used when no server is named; default: the user's")
        ->type_name("DIR")
        ->group("Server");
    command.add_option("--pid", options.pid, "Process id of the gateway, where several share a state folder")
        ->type_name("PID")
        ->group("Server");
}

void add_connection(CLI::App& command, Raw& raw) {
    Options& options = raw.options;
    command.add_option("-H,--header", raw.headers, "HTTP header sent to that server only; repeatable")
        ->allow_extra_args(false)
        ->type_name("NAME:VALUE")
        ->group("Server");
    command.add_option("--transport", raw.transport, "auto, http (Streamable HTTP) or sse (HTTP+SSE)")
        ->check(one_of({"auto", "http", "streamable-http", "sse"}))
        ->type_name("KIND")
        ->group("Server");
    command.add_option("--era", raw.era, "auto, legacy (handshake) or modern (2026-07-28)")
        ->check(one_of({"auto", "legacy", "modern"}))
        ->type_name("ERA")
        ->group("Server");
    command.add_flag("--probe", options.probe, "Probe the era again, even if it was found within the last day")
        ->group("Server");
    command.add_option("-e,--env", raw.env, "Variable for the server's environment; repeatable")
        ->allow_extra_args(false)
        ->type_name("NAME=VALUE")
        ->group("Server");
    command.add_option("--cwd", options.cwd, "Working directory of the server")->type_name("DIR")->group("Server");
    command.add_option("--ca-file", options.ca_file, "PEM file with the roots to trust")
        ->check(CLI::ExistingFile.description(""))
        ->type_name("FILE")
        ->group("Server");
    command
        .add_option("--timeout", raw.timeout_seconds,
                    "Limit for the whole command; default: 30 s to connect and 30 s per request, extended by progress")
        ->check(CLI::Validator(check_seconds, ""))
        ->type_name("SECONDS")
        ->group("Server");
}

void add_authorization(CLI::App& command, Raw& raw) {
    Options& options = raw.options;
    command.add_flag("--login", options.login, "Log in with a browser when the server asks for it")
        ->group("Authorization");
    command.add_option("--client-id", options.client_id, "Client id registered beforehand")
        ->type_name("ID")
        ->group("Authorization");
    command.add_option("--client-secret-env", options.client_secret_env, "Environment variable that holds its secret")
        ->type_name("NAME")
        ->group("Authorization");
    command.add_option("--scope", options.scopes, "Scope to ask for; repeatable")
        ->allow_extra_args(false)
        ->group("Authorization");
    command.add_flag("!--no-browser", options.open_browser, "Print the login URL instead of opening a browser")
        ->group("Authorization");
}

void add_output(CLI::App& command, Raw& raw) {
    Options& options = raw.options;
    command.add_flag("--json", options.json, "Print JSON for programs")->group("Output");
    command.add_flag("--trace", options.trace, "Show every message on the wire on stderr, secrets masked")
        ->group("Output");
    command.add_flag("--stderr", options.show_stderr, "Show what the server writes to stderr")->group("Output");
    command.add_option("--log-level", raw.log_level, "Ask the server for log messages from this level up")
        ->check(one_of(kLevels))
        ->type_name("LEVEL")
        ->group("Output");
    command.add_option("--color", raw.color, "auto, always or never")
        ->check(one_of({"auto", "always", "never"}))
        ->type_name("WHEN")
        ->group("Output");
}

/// Adds the commands one by one.
class Describer {
public:
    Describer(CLI::App& app, Raw& raw) : app_(app), raw_(raw) {}

    CLI::App* talk(Command command, const char* name, const char* what, const char* example) {
        CLI::App* added = add(command, name, what, example, kTalk);
        add_target(*added, raw_);
        add_connection(*added, raw_);
        add_authorization(*added, raw_);
        add_output(*added, raw_);
        return added;
    }
    CLI::App* add(Command command, const char* name, const char* what, const char* example, const char* group) {
        CLI::App* added = app_.add_subcommand(name, what);
        added->group(group);
        added->footer(std::string("Example:\n  ") + example);
        commands_.emplace_back(added, command);
        return added;
    }
    std::vector<std::pair<CLI::App*, Command>> take() { return std::move(commands_); }

private:
    CLI::App& app_;
    Raw& raw_;
    std::vector<std::pair<CLI::App*, Command>> commands_;
};

void add_file_output(CLI::App& command, Options& options) {
    command
        .add_option("-o,--output", options.output,
                    "Write the image, audio or binary data of the result to FILE (FILE-2, … when there are several)")
        ->type_name("FILE");
}

void describe_talk(Describer& describer, Raw& raw) {
    Options& options = raw.options;
    CLI::App* tools = describer.talk(Command::kTools, "tools", "List tools, or show one with its schema",
                                     "gantry tools -- npx -y @modelcontextprotocol/server-everything\n"
                                     "  gantry tools echo --url http://localhost:3001/mcp");
    tools->add_option("tool", options.name, "Show only this tool: arguments, an example call, annotations")
        ->type_name("TOOL");
    tools->add_option("--prefix", options.prefix, "Show names as PREFIX_NAME");
    describer.talk(Command::kPrompts, "prompts", "List prompts", "gantry prompts --url http://localhost:3001/mcp");
    describer.talk(Command::kResources, "resources", "List resources and resource templates",
                   "gantry resources -- my-server");

    CLI::App* call = describer.talk(
        Command::kCall, "call", "Call a tool",
        "gantry call echo message=hi -- my-server\n  gantry call echo '{\"message\":\"hi\"}' -- my-server");
    call->add_option("tool", options.name, "The tool's name")->required()->type_name("TOOL");
    call->add_option(
        "arguments", options.arguments,
        "KEY=VALUE … (typed by the tool's schema; KEY:=JSON), or one JSON object, @FILE, or - for standard input");
    call->add_flag("!--no-validate", options.validate, "Send arguments even if they do not fit the tool's schema");
    add_file_output(*call, options);

    CLI::App* read =
        describer.talk(Command::kRead, "read", "Read a resource", "gantry read file:///etc/hostname -- my-server");
    read->add_option("uri", options.name, "The resource's URI")->required();
    add_file_output(*read, options);
    CLI::App* prompt =
        describer.talk(Command::kPrompt, "prompt", "Fetch a prompt", "gantry prompt review topic=parser -- my-server");
    prompt->add_option("prompt", options.name, "The prompt's name")->required()->type_name("NAME");
    prompt->add_option("arguments", raw.prompt_arguments, "KEY=VALUE …");
    describer.talk(Command::kPing, "ping", "Check that the server answers",
                   "gantry ping --url http://localhost:3001/mcp");
    describer.talk(Command::kInspect, "inspect", "Show the server's identity, revision and everything it offers",
                   "gantry inspect -- my-server");
    describer.talk(Command::kTour, "tour", "A short live tour: connect, list, call, explain",
                   "gantry tour -- my-server");
}

}  // namespace

std::vector<std::pair<CLI::App*, Command>> describe(CLI::App& app, Raw& raw) {
    app.name("gantry");
    app.description("Talk to any MCP server, local or remote, old or new; serve many of them as one.");
    app.formatter(std::make_shared<HelpFormatter>());
    app.set_help_flag("-h,--help", "Print help; also after a command");
    app.set_version_flag("--version", "gantry " + std::string(kVersion), "Print the version");
    app.require_subcommand(0, 1);
    app.footer(
        "Examples:\n"
        "  gantry tools -- npx -y @modelcontextprotocol/server-everything\n"
        "  gantry call echo message=hi --url http://localhost:3001/mcp\n"
        "  gantry init && gantry serve gantry.yaml\n\n"
        "`gantry help COMMAND` explains a command, `gantry help exit-codes` lists the exit codes.");
    Describer describer(app, raw);
    describe_talk(describer, raw);
    return describer.take();
}

std::vector<std::pair<CLI::App*, Command>> describe_about(CLI::App& app, Raw& raw) {
    Describer describer(app, raw);
    describer.add(Command::kHelp, "help", "Explain a command, or list the exit codes", "gantry help call", kAbout)
        ->add_option("topic", raw.options.name, "A command, or exit-codes; default: all commands")
        ->type_name("TOPIC");
    describer.add(Command::kVersion, "version", "Print the version", "gantry version", kAbout);
    CLI::App* completion = describer.add(Command::kCompletion, "completion", "Print the completion script for a shell",
                                         "source <(gantry completion bash)", kAbout);
    completion->add_option("shell", raw.options.name, "bash, zsh or fish")->check(one_of({"bash", "zsh", "fish"}));
    // For the completion scripts: not listed in the help.
    completion->add_flag("--offers", raw.options.offers)->group("");
    return describer.take();
}

std::vector<CLI::App*> describe_extras(CLI::App& app, ExtraCommands extras) {
    std::vector<CLI::App*> commands;
    for (const ExtraCommand& extra : extras) {
        CLI::App* command = app.add_subcommand(extra.name, extra.description);
        command->group(extra.group);
        extra.describe(*command);
        command->footer("Example:\n  " + extra.example);
        commands.push_back(command);
    }
    return commands;
}

}  // namespace gantry::cli
