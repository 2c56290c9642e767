#include "app/control/login_command.hpp"

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "app/control/asking.hpp"
#include "app/control/status_view.hpp"
#include "app/setup/report.hpp"
#include "auth/oauth/loopback_agent.hpp"
#include "base/terminal_text.hpp"
#include "gantry/json.hpp"

namespace gantry::app {
namespace {

struct LoginArgs {
    GatewayChoice gateway = {};
    std::string server;
    std::string client_id;
    std::vector<std::string> scopes;
    bool browser = true;
};

std::string target_of(const LoginArgs& args) {
    std::string scopes;
    for (const std::string& scope : args.scopes) scopes.append(scopes.empty() ? "" : " ").append(scope);
    return "/v1/servers/" + encoded(args.server) + "/login?client_id=" + encoded(args.client_id) +
           "&scopes=" + encoded(scopes);
}

void invite(const std::string& url, bool browser) {
    std::cout << "Log in with a browser on the gateway's machine:\n  " << terminal_excerpt(url, 8000) << std::endl;
    if (!browser) return;
    if (auto opened = auth::open_in_browser(url); !opened) {
        std::cerr << "gantry: no browser could be opened; visit the URL by hand" << std::endl;
    }
}

int login(const LoginArgs& args) {
    auto client = client_for(args.gateway);
    if (!client) return report(client.error());
    std::optional<Json> done;
    std::string failure;
    auto followed = client->follow(target_of(args), [&](std::string_view type, std::string_view data) {
        const auto event = Json::parse(data);
        if (!event) return true;
        if (type == "visit") {
            invite(std::string(event->string_at("url")), args.browser);
            return true;
        }
        if (type == "failed") failure = event->string_at("message");
        if (type == "done") done = *event;
        return false;
    });
    if (!followed) return report(followed.error());
    if (!done) {
        return report(Error(ErrorCode::kUnauthorized,
                            "not logged in: " + (failure.empty() ? "the gateway ended the attempt" : failure)));
    }
    std::cout << "logged in to '" << args.server << "'\n" << show_server(*done, args.server) << std::flush;
    return is_well(*done) ? 0 : static_cast<int>(cli::ExitCode::kConnection);
}

}  // namespace

cli::ExtraCommand login_command() {
    const auto args = std::make_shared<LoginArgs>();
    return {
        .name = "login",
        .description = "Log in to a server behind the running gateway with OAuth; it keeps and refreshes the tokens",
        .example = "gantry login notion",
        .describe =
            [args](CLI::App& command) {
                add_choice(command, args->gateway);
                command.add_option("server", args->server, "The server")->required()->type_name("SERVER");
                command.add_option("--client-id", args->client_id, "Client id registered beforehand")->type_name("ID");
                command.add_option("--scope", args->scopes, "Scope to ask for; may be repeated")
                    ->type_name("SCOPE")
                    ->allow_extra_args(false);
                command.add_flag("!--no-browser", args->browser, "Print the URL instead of opening a browser");
            },
        .run = [args] { return login(*args); }};
}

}  // namespace gantry::app
