#include "app/control/events_command.hpp"

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "app/control/asking.hpp"
#include "app/setup/report.hpp"

namespace gantry::app {
namespace {

struct Asked {
    GatewayChoice gateway = {};
    int count = 0;  // 0: no end
};

int events(const Asked& asked) {
    auto client = client_for(asked.gateway);
    if (!client) return report(client.error());
    int left = asked.count;
    auto followed = client->follow("/v1/events", [&left](std::string_view, std::string_view data) {
        std::cout << data << std::endl;
        return --left != 0;
    });
    return followed ? 0 : report(followed.error());
}

}  // namespace

cli::ExtraCommand events_command() {
    const auto asked = std::make_shared<Asked>();
    return {.name = "events",
            .description = "What happens in a running gateway, one CloudEvent per line",
            .example = "gantry events | jq .type",
            .describe =
                [asked](CLI::App& command) {
                    add_choice(command, asked->gateway);
                    command.add_option("--count", asked->count, "End after so many")->type_name("N");
                },
            .run = [asked] { return events(*asked); }};
}

}  // namespace gantry::app
