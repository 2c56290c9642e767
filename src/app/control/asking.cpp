#include "app/control/asking.hpp"

#include <CLI/CLI.hpp>
#include <cctype>
#include <iostream>

#include "app/instances/instances.hpp"
#include "app/setup/report.hpp"
#include "base/try.hpp"
#include "gateway/state/state_folder.hpp"

namespace gantry::app {

void add_choice(CLI::App& command, GatewayChoice& choice) {
    command.add_option("--state-dir", choice.state_dir, "State folder of the gateway; default: the user's")
        ->type_name("DIR");
    command.add_option("--pid", choice.pid, "Process id of the gateway, where several share a state folder")
        ->type_name("PID");
}

Result<ControlClient> client_for(const GatewayChoice& choice) {
    std::filesystem::path folder = choice.state_dir;
    if (folder.empty()) {
        GANTRY_TRY(folder, gateway::default_state_folder());
    }
    GANTRY_TRY(const Instance instance,
               choice.shared ? choose_any_instance(folder, choice.pid) : choose_instance(folder, choice.pid));
    return ControlClient(instance.socket);
}

int ask(const GatewayChoice& choice, const std::string& method, const std::string& target,
        const std::function<std::string(const Json&)>& show, const Json& body) {
    auto client = client_for(choice);
    if (!client) return report(client.error());
    auto answer = client->ask(method, target, body);
    if (!answer) return report(answer.error());
    std::cout << (choice.json ? answer->pretty() + "\n" : show(*answer)) << std::flush;
    return 0;
}

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

}  // namespace gantry::app
