#include "app/control/logs_command.hpp"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "app/control/asking.hpp"
#include "app/control/status_view.hpp"
#include "app/setup/report.hpp"
#include "base/try.hpp"

namespace gantry::app {
namespace {

struct Args {
    GatewayChoice gateway = {};
    bool follow = false;
    int last = 100;
    std::string level = "info";
    std::string server;
};

std::string target_of(const Args& args) {
    std::string target = "/v1/logs?last=" + std::to_string(args.last) + "&level=" + encoded(args.level);
    if (!args.server.empty()) target += "&server=" + encoded(args.server);
    if (args.follow) target += "&follow=yes";
    return target;
}

/// The names of the gateway's servers if `name` is not one of them; empty: it is.
Result<std::string> others_than(const ControlClient& client, const std::string& name) {
    GANTRY_TRY(const Json status, client.get("/v1/status"));
    const Json* const servers = status.find("servers");
    std::string names;
    if (servers == nullptr || !servers->is_array()) return names;
    for (const Json& server : *servers->if_array()) {
        if (server.string_at("name") == name) return std::string();
        names.append(names.empty() ? "" : ", ").append(server.string_at("name"));
    }
    return names.empty() ? "none" : names;
}

int logs(const Args& args) {
    auto client = client_for(args.gateway);
    if (!client) return report(client.error());
    std::string others;
    if (!args.server.empty()) {
        auto known = others_than(*client, args.server);
        if (!known) return report(known.error());
        others = *std::move(known);
    }
    // Lines of a removed server are still available.
    if (args.follow && !others.empty()) {
        std::cerr << "gantry: there is no server '" << args.server << "' now (servers: " << others
                  << "); waiting for lines about it" << std::endl;
    }
    std::size_t lines = 0;
    const bool as_text = !args.gateway.json && ::isatty(STDOUT_FILENO) == 1;
    auto followed = client->follow(target_of(args), [as_text, &lines](std::string_view type, std::string_view data) {
        if (type == "gantry.logs.missed") {
            // Not written among the lines: consumers that parse them as JSON expect nothing else.
            std::cerr << "gantry: lines are missing here, because they came faster than they were read: " << data
                      << std::endl;
        } else {
            ++lines;
            std::cout << (as_text ? show_log_line(data) : std::string(data)) << std::endl;
        }
        return static_cast<bool>(std::cout);
    });
    if (!followed) return report(followed.error());
    if (lines > 0 || others.empty() || args.follow) return 0;
    return report(Error(ErrorCode::kInvalidArgument, "there is no server '" + args.server +
                                                         "' and nothing about it in the log; servers: " + others));
}

}  // namespace

cli::ExtraCommand logs_command() {
    const auto args = std::make_shared<Args>();
    return {.name = "logs",
            .description =
                "The last lines of a running gateway's log, with what servers write to standard error; kept "
                "in memory from level info up, whatever its own standard error shows",
            .example = "gantry logs --follow --server github",
            .describe =
                [args](CLI::App& command) {
                    add_choice(command, args->gateway);
                    command.add_flag("-f,--follow", args->follow, "Print new lines until Ctrl-C");
                    command.add_option("--last", args->last, "Lines to show; default 100")
                        ->check(CLI::Range(0, 100'000).description(""))
                        ->type_name("N");
                    command
                        .add_option("--level", args->level,
                                    "Lowest level: debug, info (default), warning, error; debug lines are kept only "
                                    "while log.level is debug")
                        ->check(CLI::IsMember({"debug", "info", "warning", "error"}).description(""))
                        ->type_name("LEVEL");
                    command.add_option("--server", args->server, "Only of or about this server")->type_name("NAME");
                    command.add_flag("--json", args->gateway.json,
                                     "One JSON object per line; the default without a terminal");
                },
            .run = [args] { return logs(*args); }};
}

}  // namespace gantry::app
