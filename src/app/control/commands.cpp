#include "app/control/commands.hpp"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <functional>
#include <iostream>
#include <memory>
#include <optional>

#include "app/control/asking.hpp"
#include "app/control/events_command.hpp"
#include "app/control/login_command.hpp"
#include "app/control/logs_command.hpp"
#include "app/control/server_commands.hpp"
#include "app/control/status_view.hpp"
#include "app/setup/report.hpp"
#include "base/try.hpp"
#include "surface/cli/exit_code.hpp"
#include "surface/cli/output.hpp"

namespace gantry::app {
namespace {

struct Args {
    GatewayChoice gateway = {};
    double interval = 2;
    bool once = false;
    std::string target;  // the id or name of what is meant
    std::string shown;
    std::string refused;
    std::string reason;
};

int ask(const Args& args, const std::string& method, const std::string& target,
        const std::function<std::string(const Json&)>& show, const Json& body = {}) {
    return ask(args.gateway, method, target, show, body);
}

int top(const Args& args) {
    auto client = client_for(args.gateway);
    if (!client) return report(client.error());
    const bool screen = ::isatty(STDOUT_FILENO) == 1 && !args.once;
    std::optional<Json> before;
    auto asked_at = std::chrono::steady_clock::now();
    for (;;) {
        auto status = client->get("/v1/status");
        if (!status) return report(status.error());
        const auto now = std::chrono::steady_clock::now();
        if (screen) std::cout << "\x1b[H\x1b[2J";
        std::cout << show_top(*status, before, std::chrono::duration_cast<Duration>(now - asked_at)) << std::endl;
        if (args.once) return 0;
        before = *std::move(status);
        asked_at = now;
        cli::wait_while_output_is_open(static_cast<int>(args.interval * 1e3));  // Ctrl-C ends the program
        if (!cli::output_is_open()) return 0;
    }
}

cli::ExtraCommand status_command() {
    const auto args = std::make_shared<Args>();
    return {.name = "status",
            .description = "Show what a running gateway is doing: servers, tools, calls, problems",
            .example = "gantry status",
            .describe =
                [args](CLI::App& command) {
                    add_choice(command, args->gateway);
                    command.add_flag("--json", args->gateway.json, "Print the whole response as JSON");
                },
            .run = [args] { return ask(*args, "GET", "/v1/status", show_status); }};
}

cli::ExtraCommand reload_command() {
    const auto args = std::make_shared<Args>();
    return {.name = "reload",
            .description = "Reload a running gateway's configuration; a broken file changes nothing",
            .example = "gantry reload",
            .describe =
                [args](CLI::App& command) {
                    add_choice(command, args->gateway);
                    command.add_flag("--json", args->gateway.json, "Print the changes as JSON");
                },
            .run = [args] { return ask(*args, "POST", "/v1/reload", show_reload); }};
}

int refresh(const Args& args) {
    const std::string path = args.target.empty() ? "/v1/refresh" : "/v1/servers/" + encoded(args.target) + "/refresh";
    auto client = client_for(args.gateway);
    if (!client) return report(client.error());
    auto answer = client->ask("POST", path, {});
    if (!answer) return report(answer.error());
    std::cout << (args.gateway.json ? answer->pretty() + "\n" : show_refresh(*answer)) << std::flush;
    return refreshed_all(*answer) ? 0 : static_cast<int>(cli::exit_code_for(ErrorCode::kConnection));
}

cli::ExtraCommand refresh_command() {
    const auto args = std::make_shared<Args>();
    return {.name = "refresh",
            .description = "Refresh what servers offer, idle ones included",
            .example = "gantry refresh github",
            .describe =
                [args](CLI::App& command) {
                    add_choice(command, args->gateway);
                    command.add_option("server", args->target, "Refresh only this server; default: all")
                        ->type_name("SERVER");
                    command.add_flag("--json", args->gateway.json, "The answer as JSON");
                },
            .run = [args] { return refresh(*args); }};
}

cli::ExtraCommand top_command() {
    const auto args = std::make_shared<Args>();
    return {.name = "top",
            .description = "Live table of a running gateway: calls per second, latency, errors, breakers",
            .example = "gantry top",
            .describe =
                [args](CLI::App& command) {
                    add_choice(command, args->gateway);
                    command.add_option("--interval", args->interval, "Time between updates; default 2")
                        ->check(CLI::Range(0.1, 3600.0).description(""))
                        ->type_name("SECONDS");
                    command.add_flag("--once", args->once, "Print one table and exit");
                },
            .run = [args] { return top(*args); }};
}

int breakers(const Args& args) {
    if (args.target.empty()) return ask(args, "GET", "/v1/breakers", show_breakers);
    return ask(args, "POST", "/v1/breakers/" + encoded(args.target) + "/reset",
               [](const Json& answer) { return std::string(answer.string_at("server")) + " may be called again\n"; });
}

cli::ExtraCommand breakers_command() {
    const auto args = std::make_shared<Args>();
    return {
        .name = "breakers",
        .description = "Circuit breakers of a running gateway; with --reset, let calls through again at once",
        .example = "gantry breakers --reset github",
        .describe =
            [args](CLI::App& command) {
                add_choice(command, args->gateway);
                command.add_option("--reset", args->target, "Close this server's breaker by hand")->type_name("SERVER");
                command.add_flag("--json", args->gateway.json, "The answer as JSON");
            },
        .run = [args] { return breakers(*args); }};
}

int approvals(const Args& args) {
    if (!args.shown.empty()) return ask(args, "GET", "/v1/approvals/" + encoded(args.shown), show_approval);
    if (args.target.empty() && args.refused.empty()) return ask(args, "GET", "/v1/approvals", show_approvals);
    const bool approve = args.refused.empty();
    const std::string& id = approve ? args.target : args.refused;
    JsonObject body{{"approve", approve}};
    if (!args.reason.empty()) body.set("reason", args.reason);
    return ask(
        args, "POST", "/v1/approvals/" + encoded(id),
        [&](const Json&) { return id + (approve ? " is approved\n" : " is rejected\n"); }, std::move(body));
}

cli::ExtraCommand approvals_command() {
    const auto args = std::make_shared<Args>();
    args->gateway.shared = true;
    return {
        .name = "approvals",
        .description = "List calls waiting for approval; approve or reject one",
        .example = "gantry approvals show k3f9\n  gantry approvals --approve k3f9",
        .describe =
            [args](CLI::App& command) {
                add_choice(command, args->gateway);
                auto* approve = command.add_option("--approve", args->target, "Approve this call")->type_name("ID");
                command.add_option("--reject", args->refused, "Reject this call")->type_name("ID")->excludes(approve);
                command.add_option("--reason", args->reason, "Reason sent to the caller")->type_name("TEXT");
                command.add_flag("--json", args->gateway.json, "The answer as JSON");
                auto* show = command.add_subcommand("show", "Show one waiting call with all its arguments");
                show->add_option("id", args->shown, "Which one")->required()->type_name("ID");
                show->fallthrough();
                command.require_subcommand(0, 1);
            },
        .run = [args] { return approvals(*args); }};
}

}  // namespace

std::vector<cli::ExtraCommand> control_commands() {
    std::vector<cli::ExtraCommand> commands;
    commands.push_back(status_command());
    commands.push_back(top_command());
    commands.push_back(reload_command());
    commands.push_back(refresh_command());
    commands.push_back(breakers_command());
    commands.push_back(approvals_command());
    commands.push_back(events_command());
    commands.push_back(logs_command());
    commands.push_back(login_command());
    for (cli::ExtraCommand& command : server_commands()) commands.push_back(std::move(command));
    return commands;
}

}  // namespace gantry::app
