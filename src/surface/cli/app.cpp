#include "surface/cli/app.hpp"

#include "base/version.hpp"

namespace gantry::cli {

namespace {

const std::map<std::string, HttpServer::Transport> kTransports = {
    {"auto", HttpServer::Transport::kAuto},
    {"http", HttpServer::Transport::kStreamableHttp},
    {"streamable-http", HttpServer::Transport::kStreamableHttp},
    {"sse", HttpServer::Transport::kSse}};
const std::map<std::string, Era> kEras = {{"auto", Era::kAuto}, {"legacy", Era::kLegacy}, {"modern", Era::kModern}};
const std::vector<std::string> kLevels = {"debug", "info",     "notice", "warning",
                                          "error", "critical", "alert",  "emergency"};

constexpr const char* kExitCodes =
    "Exit codes: 0 done, 1 the tool ran and failed, 2 wrong usage, 3 no connection, 4 timeout,\n"
    "            5 authorization, 6 the server refused or broke the protocol, 7 arguments do not fit the schema";

/// Options every command that talks to a server shares.
void add_server_options(CLI::App& command, Raw& raw) {
    Options& options = raw.options;
    command.add_option("--url", options.url, "URL of an HTTP server (instead of a command after --)")->group("Server");
    command.add_option("-H,--header", raw.headers, "HTTP header NAME:VALUE sent to that server; may be repeated")
        ->group("Server");
    command.add_option("--transport", options.transport, "auto, http (Streamable HTTP) or sse (HTTP+SSE)")
        ->transform(CLI::CheckedTransformer(kTransports).description(""))
        ->type_name("KIND")
        ->group("Server");
    command.add_option("--era", options.era, "auto, legacy (handshake) or modern (2026-07-28)")
        ->transform(CLI::CheckedTransformer(kEras).description(""))
        ->type_name("ERA")
        ->group("Server");
    command.add_flag("--probe", options.probe, "Ask the era again, even if it was found out within the last day")
        ->group("Server");
    command.add_option("-e,--env", raw.env, "NAME=VALUE for the server's environment; may be repeated")
        ->group("Server");
    command.add_option("--cwd", options.cwd, "Working directory of the server")->group("Server");
    command.add_option("--ca-file", options.ca_file, "PEM file with the roots to trust")
        ->check(CLI::ExistingFile)
        ->group("Server");
    command.add_option("--timeout", raw.timeout_seconds, "Seconds a request may take; progress starts it anew")
        ->check(CLI::PositiveNumber)
        ->capture_default_str()
        ->group("Server");

    command.add_flag("--login", options.login, "Log in with a browser when the server asks for it")
        ->group("Authorization");
    command.add_option("--client-id", options.client_id, "Client registered beforehand")->group("Authorization");
    command.add_option("--client-secret-env", options.client_secret_env, "Environment variable that holds its secret")
        ->group("Authorization");
    command.add_option("--scope", options.scopes, "Scope to ask for; may be repeated")->group("Authorization");
    command.add_flag("!--no-browser", options.open_browser, "Print the login URL instead of opening a browser")
        ->group("Authorization");

    command.add_flag("--json", options.json, "Print JSON for programs")->group("Output");
    command.add_flag("--trace", options.trace, "Show every message on the wire on stderr, secrets masked")
        ->group("Output");
    command.add_flag("--stderr", options.show_stderr, "Show what the server writes to stderr")->group("Output");
    command.add_option("--log-level", raw.log_level, "Ask the server for log messages from this level on")
        ->check(CLI::IsMember(kLevels).description(""))
        ->type_name("LEVEL")
        ->group("Output");
    command.add_option("--color", raw.color, "auto, always or never")
        ->check(CLI::IsMember({"auto", "always", "never"}).description(""))
        ->type_name("WHEN")
        ->group("Output");
}

}  // namespace

std::vector<std::pair<CLI::App*, Command>> describe(CLI::App& app, Raw& raw) {
    app.name("gantry");
    app.description("Talk to any MCP server, local or remote, old or new; serve many of them as one.");
    app.set_version_flag("--version", "gantry " + std::string(kVersion), "Print the version and exit");
    app.require_subcommand(0, 1);
    app.footer(std::string(
                   "Examples:\n"
                   "  gantry tools -- npx -y @modelcontextprotocol/server-everything\n"
                   "  gantry call echo '{\"message\":\"hi\"}' --url http://localhost:3001/mcp --header 'X-Team: blue'\n"
                   "  gantry inspect --url https://example.com/mcp --login\n"
                   "  gantry serve --config gantry.yaml\n\n") +
               kExitCodes);

    std::vector<std::pair<CLI::App*, Command>> commands;
    const auto add = [&](Command command, const char* name, const char* what, const char* example) {
        CLI::App* subcommand = app.add_subcommand(name, what);
        if (command != Command::kCompletion) add_server_options(*subcommand, raw);
        subcommand->footer(std::string("Example:\n  ") + example);
        commands.emplace_back(subcommand, command);
        return subcommand;
    };
    Options& options = raw.options;
    add(Command::kTools, "tools", "List the server's tools",
        "gantry tools -- npx -y @modelcontextprotocol/server-everything")
        ->add_option("--prefix", options.prefix, "Show names as PREFIX_NAME");
    add(Command::kPrompts, "prompts", "List the server's prompts", "gantry prompts --url http://localhost:3001/mcp");
    add(Command::kResources, "resources", "List the server's resources and templates", "gantry resources -- my-server");

    CLI::App* call =
        add(Command::kCall, "call", "Call a tool",
            "gantry call echo message=hi -- my-server\n  gantry call echo '{\"message\":\"hi\"}' -- my-server");
    call->add_option("tool", options.name, "The tool's name")->required();
    call->add_option(
        "arguments", options.arguments,
        "KEY=VALUE … (typed by the tool's schema; KEY:=JSON), or one JSON object, @FILE, or - for standard input");
    call->add_flag("!--no-validate", options.validate, "Send arguments even if they do not fit the tool's schema");

    add(Command::kRead, "read", "Read a resource", "gantry read file:///etc/hostname -- my-server")
        ->add_option("uri", options.name, "The resource's URI")
        ->required();
    CLI::App* prompt =
        add(Command::kPrompt, "prompt", "Fetch a prompt", "gantry prompt review topic=parser -- my-server");
    prompt->add_option("prompt", options.name, "The prompt's name")->required();
    prompt->add_option("arguments", raw.prompt_arguments, "NAME=VALUE …");
    add(Command::kPing, "ping", "Check that the server answers", "gantry ping --url http://localhost:3001/mcp");
    add(Command::kInspect, "inspect", "Show who the server is and all it offers", "gantry inspect -- my-server");
    add(Command::kTour, "tour", "A short live tour: connect, list, call, explain", "gantry tour -- my-server");
    add(Command::kCompletion, "completion", "Print the completion script for a shell",
        "source <(gantry completion bash)")
        ->add_option("shell", options.name, "bash, zsh or fish")
        ->required()
        ->check(CLI::IsMember({"bash", "zsh", "fish"}).description(""));
    return commands;
}

std::vector<CLI::App*> describe_extras(CLI::App& app, ExtraCommands extras) {
    std::vector<CLI::App*> commands;
    for (const ExtraCommand& extra : extras) {
        CLI::App* command = app.add_subcommand(extra.name, extra.description);
        extra.describe(*command);
        command->footer("Example:\n  " + extra.example);
        commands.push_back(command);
    }
    return commands;
}

}  // namespace gantry::cli
