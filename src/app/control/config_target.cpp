#include "app/control/config_target.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "app/config/config.hpp"
#include "app/config/save_config.hpp"
#include "app/instances/instances.hpp"
#include "app/setup/report.hpp"
#include "base/try.hpp"
#include "gateway/state/state_folder.hpp"

namespace gantry::app {
namespace {

namespace fs = std::filesystem;

struct Running {
    int pid = 0;
    ControlClient client;
    /// Empty: it runs without a file.
    fs::path file = {};
};

fs::path real_path(const fs::path& file) {
    std::error_code error;
    const fs::path real = fs::weakly_canonical(file, error);
    return error ? file : real;
}

Result<std::vector<Running>> running_gateways(const GatewayChoice& choice) {
    fs::path folder = choice.state_dir;
    if (folder.empty()) {
        GANTRY_TRY(folder, gateway::default_state_folder());
    }
    GANTRY_TRY(const auto instances, find_instances(folder));
    std::vector<Running> running;
    for (const Instance& instance : instances) {
        if (choice.pid != 0 && choice.pid != instance.pid) continue;
        const ControlClient client(instance.socket);
        // A gateway that has just ended cannot answer, and need not.
        const auto status = client.get("/v1/status");
        if (status) running.push_back({instance.pid, client, std::string(status->string_at("config"))});
    }
    if (choice.pid != 0 && running.empty()) {
        return fail(ErrorCode::kNotFound, "no gateway with process id " + std::to_string(choice.pid) + " runs here");
    }
    return running;
}

/// The file that all of them use.
Result<fs::path> file_of(const std::vector<Running>& running) {
    std::string pids;
    for (const Running& one : running) pids += " " + std::to_string(one.pid);
    const bool same = std::ranges::all_of(running, [&](const Running& one) { return one.file == running[0].file; });
    if (!same) {
        return fail(ErrorCode::kInvalidArgument,
                    "several gateways run with different configurations; choose one with --pid or --config:" + pids);
    }
    if (running[0].file.empty()) {
        return fail(ErrorCode::kInvalidArgument,
                    "the running gateway has no configuration file; name one to change with --config FILE");
    }
    return running[0].file;
}

}  // namespace

void add_config_choice(CLI::App& command, ConfigChoice& choice) {
    command
        .add_option("-c,--config", choice.file,
                    "Configuration to change; default: the running gateway's, else ./gantry.yaml")
        ->type_name("FILE");
    add_choice(command, choice.gateway);
    command.add_flag("--json", choice.gateway.json, "Print the outcome as JSON");
}

Result<ConfigTarget> find_config(const ConfigChoice& choice, bool may_create) {
    auto running = running_gateways(choice.gateway);
    // If a file is given, gateways of other users do not matter.
    if (!running && choice.file.empty()) return fail(running.error());
    ConfigTarget target{.file = choice.file};
    if (choice.file.empty() && !running->empty()) {
        GANTRY_TRY(target.file, file_of(*running));
    } else if (choice.file.empty()) {
        target.file = kUsualFile;
    }
    std::error_code error;
    if (!may_create && !fs::exists(target.file, error)) {
        return fail(ErrorCode::kNotFound,
                    choice.file.empty() ? "no gateway is running and there is no gantry.yaml in this folder; name "
                                          "the configuration with --config FILE"
                                        : choice.file + ": there is no such file");
    }
    if (!running) return target;
    for (const Running& one : *running) {
        if (!one.file.empty() && real_path(one.file) == real_path(target.file)) target.gateways.push_back(one.client);
    }
    return target;
}

Result<void> change_config(const ConfigTarget& target,
                           const std::function<Result<std::string>(const std::string& text)>& edit) {
    std::string text;
    std::error_code error;
    if (fs::exists(target.file, error)) {
        GANTRY_TRY(text, read_config_file(target.file));
    }
    auto edited = edit(text);
    if (!edited) return fail(edited.error().within(target.file.string()));
    if (*edited != text) {
        GANTRY_CHECK(save_config(target.file, text, *edited));
    }
    for (const ControlClient& gateway : target.gateways) {
        if (auto reloaded = gateway.ask("POST", "/v1/reload"); !reloaded) {
            return fail(reloaded.error().within(target.file.string() +
                                                " was changed, but the running gateway still uses the previous "
                                                "configuration"));
        }
    }
    return {};
}

}  // namespace gantry::app
