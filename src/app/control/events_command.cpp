#include "app/control/events_command.hpp"

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "app/control/asking.hpp"
#include "app/control/status_view.hpp"
#include "app/setup/report.hpp"

namespace gantry::app {
namespace {

struct Asked {
    GatewayChoice gateway = {};
    int count = 0;  // 0: no end
    std::string after;
    std::string types;
    bool dead = false;
    std::string revived;  // an id or "all"
    std::string webhook;
};

int dead(const Asked& asked) {
    return ask(asked.gateway, "GET", "/v1/events/dead", show_dead_letters);
}

int revive(const Asked& asked) {
    JsonObject body;
    if (asked.revived == "all") {
        body.set("all", true);
    } else {
        body.set("id", asked.revived);
    }
    if (!asked.webhook.empty()) body.set("webhook", asked.webhook);
    return ask(
        asked.gateway, "POST", "/v1/events/dead/revive",
        [](const Json& answer) {
            const Json* const count = answer.find("revived");
            return (count == nullptr ? "0" : count->dump()) + " deliveries are tried again\n";
        },
        std::move(body));
}

int events(const Asked& asked) {
    auto client = client_for(asked.gateway);
    if (!client) return report(client.error());
    std::string target = "/v1/events?type=" + asked.types;
    if (!asked.after.empty()) target += "&after=" + encoded(asked.after);
    int left = asked.count;
    auto followed = client->follow(target, [&left](std::string_view type, std::string_view data) {
        if (type.starts_with("gantry.feed.")) {
            // About the stream, not of it: whoever reads events expects nothing else.
            std::cerr << "gantry: " << type << " " << data << std::endl;
            return true;
        }
        std::cout << data << std::endl;
        return --left != 0;
    });
    return followed ? 0 : report(followed.error());
}

}  // namespace

cli::ExtraCommand events_command() {
    const auto asked = std::make_shared<Asked>();
    return {.name = "events",
            .description = "What happens in a running gateway, one CloudEvent per line; and what webhooks did not take",
            .example = "gantry events | jq .type",
            .describe =
                [asked](CLI::App& command) {
                    add_choice(command, asked->gateway);
                    command.add_option("--count", asked->count, "End after so many")->type_name("N");
                    command
                        .add_option("--after", asked->after,
                                    "Begin behind the event with this sequence number, from the journal")
                        ->check(CLI::NonNegativeNumber.description(""))
                        ->type_name("N");
                    command.add_option("--type", asked->types, "Only these types, e.g. tool.failed,source.*")
                        ->check([](const std::string& text) {
                            constexpr std::string_view kGood = "abcdefghijklmnopqrstuvwxyz0123456789._*,";
                            return text.find_first_not_of(kGood) == std::string::npos
                                       ? std::string()
                                       : "patterns on types are made of letters, digits, '.', '_' and '*'";
                        })
                        ->type_name("PATTERNS");
                    auto* dead = command.add_flag("--dead", asked->dead, "List deliveries that were given up");
                    auto* revive =
                        command.add_option("--revive", asked->revived, "Deliver this one after all, or all of them")
                            ->type_name("ID|all")
                            ->excludes(dead);
                    command.add_option("--webhook", asked->webhook, "Only those of this webhook")
                        ->type_name("NAME")
                        ->needs(revive);
                    command.add_flag("--json", asked->gateway.json, "With --dead or --revive: the answer as JSON");
                },
            .run =
                [asked] {
                    if (asked->dead) return dead(*asked);
                    return asked->revived.empty() ? events(*asked) : revive(*asked);
                }};
}

}  // namespace gantry::app
