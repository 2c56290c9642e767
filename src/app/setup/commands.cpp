#include "app/setup/commands.hpp"

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "app/clients/connect.hpp"
#include "app/clients/import.hpp"
#include "app/config/config.hpp"
#include "app/config/reference.hpp"
#include "app/setup/check.hpp"
#include "app/setup/doctor.hpp"
#include "app/setup/report.hpp"
#include "app/setup/secrets.hpp"
#include "app/setup/starter.hpp"

namespace gantry::app {
namespace {

cli::ExtraCommand schema_command() {
    const auto markdown = std::make_shared<bool>(false);
    return {.name = "schema",
            .description = "Print the JSON Schema of the configuration file, for editors",
            .example = "gantry schema > gantry.schema.json",
            .describe =
                [markdown](CLI::App& command) {
                    command.add_flag("--markdown", *markdown, "Print a table of all keys instead");
                },
            .run =
                [markdown] {
                    std::cout << (*markdown ? config_reference(config_schema()) : config_schema().pretty() + "\n")
                              << std::flush;
                    return 0;
                }};
}

int init(const std::string& file) {
    const auto written = write_starter(file);
    if (!written && written.error().code() == ErrorCode::kInvalidArgument) return report_file(written.error());
    if (!written) {
        report(written.error());
        return static_cast<int>(cli::ExitCode::kOutput);
    }
    std::cout << "wrote " << file << ": add servers to it, then\n"
              << "  gantry check " << file << "\n  gantry doctor " << file << "\n  gantry serve " << file << '\n'
              << (*written ? "wrote " : "updated ") << schema_file_of(file).string()
              << ": the JSON Schema that editors complete and check it by" << std::endl;
    return 0;
}

cli::ExtraCommand init_command() {
    const auto file = std::make_shared<std::string>(kUsualFile);
    return {.name = "init",
            .description = "Write a commented configuration to start from; never overwrites",
            .example = "gantry init",
            .describe =
                [file](CLI::App& command) {
                    command.add_option("-c,--config,file", *file, "File to write, YAML or JSON; default gantry.yaml")
                        ->type_name("FILE");
                },
            .run = [file] { return init(*file); }};
}

cli::ExtraCommand check_command() {
    const auto asked = std::make_shared<CheckRequest>();
    return {.name = "check",
            .description = "Check a configuration without starting anything",
            .example = "gantry check gantry.yaml",
            .describe =
                [asked](CLI::App& command) {
                    command.add_option("-c,--config,file", asked->file, "The configuration; default gantry.yaml")
                        ->type_name("FILE");
                    command.add_flag("--json", asked->json, "The result as JSON");
                },
            .run = [asked] { return check(*asked); }};
}

cli::ExtraCommand doctor_command() {
    const auto asked = std::make_shared<DoctorRequest>();
    return {.name = "doctor",
            .description = "Try every server of a configuration; report problems and how to fix them",
            .example = "gantry doctor gantry.yaml",
            .describe =
                [asked](CLI::App& command) {
                    command.add_option("-c,--config,file", asked->file, "The configuration; default gantry.yaml")
                        ->type_name("FILE");
                    command.add_flag("--json", asked->json, "The findings as JSON");
                    command
                        .add_option_function<double>(
                            "--timeout",
                            [asked](double value) {
                                asked->timeout = std::chrono::milliseconds(static_cast<std::int64_t>(value * 1000));
                            },
                            "For each server; default 60")
                        ->check(CLI::Range(0.1, 3600.0).description(""))
                        ->type_name("SECONDS");
                },
            .run = [asked] { return doctor(*asked); }};
}

}  // namespace

std::vector<cli::ExtraCommand> setup_commands() {
    std::vector<cli::ExtraCommand> commands;
    commands.push_back(init_command());
    commands.push_back(check_command());
    commands.push_back(doctor_command());
    commands.push_back(schema_command());
    commands.push_back(secrets_command());
    commands.push_back(import_command());
    commands.push_back(connect_command());
    return commands;
}

}  // namespace gantry::app
