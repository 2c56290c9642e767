#include "app/control/server_commands.hpp"

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "app/config/edit_yaml.hpp"
#include "app/control/config_target.hpp"
#include "app/control/new_server.hpp"
#include "app/control/status_view.hpp"
#include "app/setup/report.hpp"
#include "base/try.hpp"

namespace gantry::app {
namespace {

using Edit = std::function<Result<std::string>(const std::string& text)>;

struct ServerArgs {
    ConfigChoice choice = {};
    NewServer server = {};
    bool replace = false;
};

/// A completed change, for output to users and programs.
struct Change {
    std::string server;
    /// "added", "removed", …
    std::string done;
    /// The server exists after the change, so its state matters.
    bool present = true;
};

/// The server in the status of one gateway; null: it has none of this name.
Result<Json> server_at(const ControlClient& gateway, const std::string& name) {
    GANTRY_TRY(const Json status, gateway.get("/v1/status"));
    const Json* const servers = status.find("servers");
    if (servers == nullptr || !servers->is_array()) return Json();
    for (const Json& server : *servers->if_array()) {
        if (server.string_at("name") == name) return server;
    }
    return Json();
}

/// Prints the result; returns the exit code.
int tell(const Change& change, const ConfigTarget& target, bool json) {
    JsonArray states;
    bool well = true;
    std::string text = "'" + change.server + "' " + change.done + " " + target.file.string() + "\n";
    for (const ControlClient& gateway : target.gateways) {
        const auto server = server_at(gateway, change.server);
        if (!server) return report(server.error());
        states.push_back(*server);
        if (change.present) {
            text += show_server(*server, change.server);
            well = well && is_well(*server);
        } else {
            text += "the running gateway no longer offers it; calls in flight may finish\n";
        }
    }
    if (target.gateways.empty()) text += "no gateway is running with this file; the next gantry serve uses it\n";
    const Json outcome = JsonObject{{"server", change.server},
                                    {"change", change.done.substr(0, change.done.find(' '))},
                                    {"file", target.file.string()},
                                    {"gateways", std::move(states)}};
    std::cout << (json ? outcome.pretty() + "\n" : text) << std::flush;
    return well ? 0 : static_cast<int>(cli::ExitCode::kConnection);
}

int change(const ServerArgs& args, const Change& wanted, bool may_create, const Edit& edit) {
    const auto target = find_config(args.choice, may_create);
    if (!target) return report_file(target.error());
    if (auto changed = change_config(*target, edit); !changed) return report(changed.error());
    return tell(wanted, *target, args.choice.gateway.json);
}

int add(const ServerArgs& args) {
    const auto settings = settings_of(args.server);
    if (!settings) return report(settings.error());
    const std::string& name = args.server.name;
    Change wanted{.server = name, .done = "added to", .present = !args.server.disabled};
    const int code = change(args, wanted, true, [&](const std::string& text) -> Result<std::string> {
        GANTRY_TRY(const Json known, server_in(text, name));
        if (known.is_null()) return add_server(text, name, *settings);
        if (!args.replace) {
            return fail(ErrorCode::kInvalidArgument,
                        "there is already a server '" + name + "'; --replace gives it these settings");
        }
        wanted.done = "replaced in";
        return replace_server(text, name, *settings);
    });
    for (const std::string& secret : plain_secrets(args.server)) {
        std::cerr << "note: the value of " << secret << " is in the file in plain text; gantry secrets set NAME "
                  << "keeps it encrypted, and ${NAME} refers to it\n";
    }
    return code;
}

bool is_true(const Json* value) {
    return value != nullptr && (*value == Json(true) || *value == Json("true"));
}

/// Sets `enabled`, or its opposite if the entry uses that.
Result<std::string> switch_server(const std::string& text, const std::string& name, bool on) {
    GANTRY_TRY(const Json entry, server_in(text, name));
    if (entry.is_null()) return fail(ErrorCode::kNotFound, "there is no server '" + name + "' in the configuration");
    const Json* const enabled = entry.find("enabled");
    const Json* const disabled = entry.find("disabled");
    std::string out = text;
    if (disabled != nullptr && is_true(disabled) == on) {
        GANTRY_TRY(out, set_in_server(out, name, "disabled", !on));
    }
    const bool needed = enabled != nullptr ? is_true(enabled) != on : !on && disabled == nullptr;
    if (needed) {
        GANTRY_TRY(out, set_in_server(out, name, "enabled", on));
    }
    return out;
}

int restart(const ServerArgs& args) {
    auto client = client_for(args.choice.gateway);
    if (!client) return report(client.error());
    const auto server = client->ask("POST", "/v1/servers/" + encoded(args.server.name) + "/restart");
    if (!server) return report(server.error());
    std::cout << (args.choice.gateway.json ? server->pretty() + "\n" : show_server(*server, args.server.name))
              << std::flush;
    return is_well(*server) ? 0 : static_cast<int>(cli::ExitCode::kConnection);
}

void add_name(CLI::App& command, ServerArgs& args) {
    command.add_option("name", args.server.name, "The server")->required()->type_name("SERVER");
}

cli::ExtraCommand add_command() {
    const auto args = std::make_shared<ServerArgs>();
    return {.name = "add",
            .description = "Add a server to the configuration and to the gateway that runs with it",
            .example =
                "gantry add files -- npx -y @modelcontextprotocol/server-filesystem /srv\n"
                "  gantry add docs https://example.com/mcp --header 'X-Team: blue'",
            .describe =
                [args](CLI::App& command) {
                    add_server_settings(command, args->server);
                    command.add_flag("--replace", args->replace, "Replace the settings of an existing server");
                    add_config_choice(command, args->choice);
                },
            .run = [args] { return add(*args); },
            .take_words = [args](std::vector<std::string> words) { args->server.command = std::move(words); }};
}

/// A command that takes a server's name and changes its entry.
cli::ExtraCommand entry_command(std::string name, std::string description, Change wanted,
                                Result<std::string> (*edit)(const std::string& text, const std::string& server)) {
    const auto args = std::make_shared<ServerArgs>();
    return {.name = name,
            .description = std::move(description),
            .example = "gantry " + name + " files",
            .describe =
                [args](CLI::App& command) {
                    add_name(command, *args);
                    add_config_choice(command, args->choice);
                },
            .run =
                [args, wanted, edit] {
                    Change named = wanted;
                    named.server = args->server.name;
                    return change(*args, named, false,
                                  [&](const std::string& text) { return edit(text, named.server); });
                }};
}

cli::ExtraCommand restart_command() {
    const auto args = std::make_shared<ServerArgs>();
    return {.name = "restart",
            .description = "Restart a server of a running gateway: new connection or process; calls in flight finish",
            .example = "gantry restart files",
            .describe =
                [args](CLI::App& command) {
                    add_name(command, *args);
                    add_choice(command, args->choice.gateway);
                    command.add_flag("--json", args->choice.gateway.json, "Print the server's status as JSON");
                },
            .run = [args] { return restart(*args); }};
}

}  // namespace

std::vector<cli::ExtraCommand> server_commands() {
    std::vector<cli::ExtraCommand> commands;
    commands.push_back(add_command());
    commands.push_back(
        entry_command("remove", "Remove a server from the configuration and the gateway that runs with it",
                      {.server = {}, .done = "removed from", .present = false},
                      [](const std::string& text, const std::string& server) { return remove_server(text, server); }));
    commands.push_back(entry_command(
        "enable", "Use a server that was disabled", {.server = {}, .done = "enabled in"},
        [](const std::string& text, const std::string& server) { return switch_server(text, server, true); }));
    commands.push_back(entry_command(
        "disable", "Keep a server in the configuration without using it",
        {.server = {}, .done = "disabled in", .present = false},
        [](const std::string& text, const std::string& server) { return switch_server(text, server, false); }));
    commands.push_back(restart_command());
    return commands;
}

}  // namespace gantry::app
