#include "app/control/commands.hpp"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cctype>
#include <chrono>
#include <iostream>
#include <memory>
#include <optional>

#include "app/control/control_client.hpp"
#include "app/control/status_view.hpp"
#include "app/gateway/state_dir.hpp"
#include "app/instances/instances.hpp"
#include "app/setup/report.hpp"
#include "base/try.hpp"

namespace gantry::app {
namespace {

/// Which gateway, and how to say what it answers.
struct Asked {
    std::string state_dir;
    int pid = 0;
    bool json = false;
    double interval = 2;
    bool once = false;
    std::string target;  // what of the gateway's things is meant
    std::string refused;
    std::string reason;
    int count = 0;  // 0: no end
};

Result<ControlClient> client_for(const Asked& asked) {
    std::filesystem::path folder = asked.state_dir;
    if (folder.empty()) {
        GANTRY_TRY(folder, default_state_dir());
    }
    GANTRY_TRY(const Instance instance, choose_instance(folder, asked.pid));
    return ControlClient(instance.socket);
}

/// Asks once and shows the answer: as it came, or as `show` puts it.
int ask(const Asked& asked, const std::string& method, const std::string& target,
        const std::function<std::string(const Json&)>& show, const Json& body = {}) {
    auto client = client_for(asked);
    if (!client) return report(client.error());
    auto answer = client->ask(method, target, body);
    if (!answer) return report(answer.error());
    std::cout << (asked.json ? answer->pretty() + "\n" : show(*answer)) << std::flush;
    return 0;
}

/// As a part of a path.
std::string encoded(std::string_view text) {
    constexpr std::string_view kPlain = "-._~";
    constexpr std::string_view kDigits = "0123456789ABCDEF";
    std::string out;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (std::isalnum(byte) != 0 || kPlain.contains(c)) {
            out += c;
        } else {
            out.append("%").append(1, kDigits[byte >> 4]).append(1, kDigits[byte & 15]);
        }
    }
    return out;
}

int top(const Asked& asked) {
    auto client = client_for(asked);
    if (!client) return report(client.error());
    const bool screen = ::isatty(STDOUT_FILENO) == 1 && !asked.once;
    std::optional<Json> before;
    auto asked_at = std::chrono::steady_clock::now();
    for (;;) {
        auto status = client->get("/v1/status");
        if (!status) return report(status.error());
        const auto now = std::chrono::steady_clock::now();
        if (screen) std::cout << "\x1b[H\x1b[2J";
        std::cout << show_top(*status, before, std::chrono::duration_cast<Duration>(now - asked_at)) << std::endl;
        if (asked.once) return 0;
        before = *std::move(status);
        asked_at = now;
        ::usleep(static_cast<useconds_t>(asked.interval * 1e6));  // Ctrl-C ends the program, as it should
    }
}

void add_instance(CLI::App& command, Asked& asked) {
    command.add_option("--state-dir", asked.state_dir, "State folder of the gateway; default: the user's")
        ->type_name("DIR");
    command.add_option("--pid", asked.pid, "Which gateway, where several share a state folder")->type_name("PID");
}

cli::ExtraCommand status_command() {
    const auto asked = std::make_shared<Asked>();
    return {.name = "status",
            .description = "What a running gateway is doing: servers, tools, calls, trouble",
            .example = "gantry status",
            .describe =
                [asked](CLI::App& command) {
                    add_instance(command, *asked);
                    command.add_flag("--json", asked->json, "The whole answer as JSON");
                },
            .run = [asked] { return ask(*asked, "GET", "/v1/status", show_status); }};
}

cli::ExtraCommand reload_command() {
    const auto asked = std::make_shared<Asked>();
    return {.name = "reload",
            .description = "Let a running gateway read its configuration anew; a broken file changes nothing",
            .example = "gantry reload",
            .describe =
                [asked](CLI::App& command) {
                    add_instance(command, *asked);
                    command.add_flag("--json", asked->json, "What changed as JSON");
                },
            .run = [asked] { return ask(*asked, "POST", "/v1/reload", show_reload); }};
}

cli::ExtraCommand top_command() {
    const auto asked = std::make_shared<Asked>();
    return {.name = "top",
            .description = "Live table of a running gateway: calls per second, latency, errors, breakers",
            .example = "gantry top",
            .describe =
                [asked](CLI::App& command) {
                    add_instance(command, *asked);
                    command.add_option("--interval", asked->interval, "Between two looks; default 2")
                        ->check(CLI::Range(0.1, 3600.0).description(""))
                        ->type_name("SECONDS");
                    command.add_flag("--once", asked->once, "One table, then end");
                },
            .run = [asked] { return top(*asked); }};
}

int breakers(const Asked& asked) {
    if (asked.target.empty()) return ask(asked, "GET", "/v1/breakers", show_breakers);
    return ask(asked, "POST", "/v1/breakers/" + encoded(asked.target) + "/reset",
               [](const Json& answer) { return std::string(answer.string_at("server")) + " may be called again\n"; });
}

cli::ExtraCommand breakers_command() {
    const auto asked = std::make_shared<Asked>();
    return {.name = "breakers",
            .description = "Circuit breakers of a running gateway; with --reset, let calls through again at once",
            .example = "gantry breakers --reset github",
            .describe =
                [asked](CLI::App& command) {
                    add_instance(command, *asked);
                    command.add_option("--reset", asked->target, "Close this server's breaker by hand")
                        ->type_name("SERVER");
                    command.add_flag("--json", asked->json, "The answer as JSON");
                },
            .run = [asked] { return breakers(*asked); }};
}

int approvals(const Asked& asked) {
    if (asked.target.empty() && asked.refused.empty()) return ask(asked, "GET", "/v1/approvals", show_approvals);
    const bool approve = asked.refused.empty();
    const std::string& id = approve ? asked.target : asked.refused;
    JsonObject body{{"approve", approve}};
    if (!asked.reason.empty()) body.set("reason", asked.reason);
    return ask(
        asked, "POST", "/v1/approvals/" + encoded(id),
        [&](const Json&) { return id + (approve ? " is approved\n" : " is rejected\n"); }, std::move(body));
}

cli::ExtraCommand approvals_command() {
    const auto asked = std::make_shared<Asked>();
    return {
        .name = "approvals",
        .description = "Calls that wait for a person; approve or reject one",
        .example = "gantry approvals --approve k3f9",
        .describe =
            [asked](CLI::App& command) {
                add_instance(command, *asked);
                auto* approve = command.add_option("--approve", asked->target, "Let this call run")->type_name("ID");
                command.add_option("--reject", asked->refused, "Refuse this call")->type_name("ID")->excludes(approve);
                command.add_option("--reason", asked->reason, "Told to the caller")->type_name("TEXT");
                command.add_flag("--json", asked->json, "The answer as JSON");
            },
        .run = [asked] { return approvals(*asked); }};
}

int events(const Asked& asked) {
    auto client = client_for(asked);
    if (!client) return report(client.error());
    int left = asked.count;
    auto followed = client->follow("/v1/events", [&left](std::string_view data) {
        std::cout << data << std::endl;
        return --left != 0;
    });
    return followed ? 0 : report(followed.error());
}

cli::ExtraCommand events_command() {
    const auto asked = std::make_shared<Asked>();
    return {.name = "events",
            .description = "What happens in a running gateway, one CloudEvent per line",
            .example = "gantry events | jq .type",
            .describe =
                [asked](CLI::App& command) {
                    add_instance(command, *asked);
                    command.add_option("--count", asked->count, "End after so many")->type_name("N");
                },
            .run = [asked] { return events(*asked); }};
}

}  // namespace

std::vector<cli::ExtraCommand> control_commands() {
    std::vector<cli::ExtraCommand> commands;
    commands.push_back(status_command());
    commands.push_back(top_command());
    commands.push_back(reload_command());
    commands.push_back(breakers_command());
    commands.push_back(approvals_command());
    commands.push_back(events_command());
    return commands;
}

}  // namespace gantry::app
