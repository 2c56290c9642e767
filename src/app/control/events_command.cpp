#include "app/control/events_command.hpp"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "app/control/asking.hpp"
#include "app/control/status_view.hpp"
#include "app/gateway/event_line.hpp"
#include "app/setup/report.hpp"

namespace gantry::app {
namespace {

struct Args {
    GatewayChoice gateway = {};
    int count = 0;  // 0: unlimited
    std::string after;
    std::string types;
    bool dead = false;
    std::string revived;  // an id or "all"
    std::string webhook;
    std::string format = "auto";

    bool as_table() const {
        if (gateway.json || format == "json") return false;
        return format == "table" || ::isatty(STDOUT_FILENO) == 1;
    }
};

int dead(const Args& args) {
    return ask(args.gateway, "GET", "/v1/events/dead", show_dead_letters);
}

int revive(const Args& args) {
    JsonObject body;
    if (args.revived == "all") {
        body.set("all", true);
    } else {
        body.set("id", args.revived);
    }
    if (!args.webhook.empty()) body.set("webhook", args.webhook);
    return ask(
        args.gateway, "POST", "/v1/events/dead/revive",
        [](const Json& answer) {
            const Json* const count = answer.find("revived");
            return (count == nullptr ? "0" : count->dump()) + " deliveries are tried again\n";
        },
        std::move(body));
}

int events(const Args& args) {
    if (!args.types.empty() && !is_known_type(args.types)) {
        return report(Error(ErrorCode::kInvalidArgument,
                            "no type of event matches '" + args.types + "'; there are: " + known_event_types()));
    }
    auto client = client_for(args.gateway);
    if (!client) return report(client.error());
    std::string target = "/v1/events?type=" + args.types;
    if (!args.after.empty()) target += "&after=" + encoded(args.after);
    int left = args.count;
    const bool as_table = args.as_table();
    if (as_table) std::cout << event_titles() << std::endl;
    auto followed = client->follow(target, [&left, as_table](std::string_view type, std::string_view data) {
        if (type.starts_with("gantry.feed.")) {
            // Not written to standard output: consumers of events expect nothing else there.
            std::cerr << "gantry: " << type << " " << data << std::endl;
            return true;
        }
        std::cout << (as_table ? event_line(data) : std::string(data)) << std::endl;
        return --left != 0;
    });
    return followed ? 0 : report(followed.error());
}

}  // namespace

cli::ExtraCommand events_command() {
    const auto args = std::make_shared<Args>();
    return {
        .name = "events",
        .description = "Events of a running gateway as they happen; failed webhook deliveries",
        .example = "gantry events | jq .type",
        .describe =
            [args](CLI::App& command) {
                add_choice(command, args->gateway);
                command.add_option("--count", args->count, "Stop after N events")->type_name("N");
                command
                    .add_option("--after", args->after,
                                "Start after the event with this sequence number, from the journal")
                    ->check(CLI::NonNegativeNumber.description(""))
                    ->type_name("N");
                command.add_option("--type", args->types, "Only these types, e.g. tool.failed,source.*")
                    ->check([](const std::string& text) {
                        constexpr std::string_view kGood = "abcdefghijklmnopqrstuvwxyz0123456789._*,";
                        return text.find_first_not_of(kGood) == std::string::npos
                                   ? std::string()
                                   : "patterns on types are made of letters, digits, '.', '_' and '*'";
                    })
                    ->type_name("PATTERNS");
                auto* dead = command.add_flag("--dead", args->dead, "List failed deliveries");
                auto* revive = command.add_option("--revive", args->revived, "Deliver this one again, or all of them")
                                   ->type_name("ID|all")
                                   ->excludes(dead);
                command.add_option("--webhook", args->webhook, "Only those of this webhook")
                    ->type_name("NAME")
                    ->needs(revive);
                command
                    .add_option("--format", args->format,
                                "table, json, or auto (default): a table on a terminal, else one JSON object per line")
                    ->check(CLI::IsMember({"auto", "table", "json"}).description(""))
                    ->type_name("FORMAT");
                command.add_flag("--json", args->gateway.json, "The same as --format json");
            },
        .run =
            [args] {
                if (args->dead) return dead(*args);
                return args->revived.empty() ? events(*args) : revive(*args);
            }};
}

}  // namespace gantry::app
