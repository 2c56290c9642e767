#include "surface/cli/run.hpp"

#include <unistd.h>

#include <array>
#include <iostream>

#include "base/nearest.hpp"
#include "base/try.hpp"
#include "base/version.hpp"
#include "surface/cli/commands.hpp"
#include "surface/cli/completion.hpp"
#include "surface/cli/connect.hpp"
#include "surface/cli/offers.hpp"
#include "surface/cli/output.hpp"

namespace gantry::cli {

namespace {

using Run = Result<ExitCode> (*)(Client&, const Options&, const Printer&);

struct Entry {
    Command command;
    Run run;
};
constexpr std::array kCommands = {
    Entry{Command::kTools, &list_tools},
    Entry{Command::kPrompts, &list_prompts},
    Entry{Command::kResources, &list_resources},
    Entry{Command::kCall, &call_tool},
    Entry{Command::kRead, &read_resource},
    Entry{Command::kPrompt, &get_prompt},
    Entry{Command::kPing, &ping},
    Entry{Command::kInspect, &inspect},
    Entry{Command::kTour, &tour},
};

int report(const Options& options, const Printer& printer, const Error& error) {
    end_progress_line();
    if (options.json) {
        JsonObject json{{"code", std::string(to_string(error.code()))},
                        {"message", error.message()},
                        {"retryable", error.retryable()},
                        {"fatal", error.fatal()}};
        if (error.rpc() != nullptr)
            json.set("rpc", JsonObject{{"code", error.rpc()->code}, {"message", error.rpc()->message}});
        std::cerr << Json(JsonObject{{"error", std::move(json)}}).dump() << '\n';
    } else {
        printer.error(error);
    }
    return static_cast<int>(exit_code_of(error));
}

/// Without a server on the command line, the running gateway is used.
Result<void> find_target(Options& options, const Surroundings& surroundings) {
    if (!options.url.empty() || !options.server_command.empty() || !options.server_name.empty()) return {};
    const auto url = surroundings.gateway_url
                         ? surroundings.gateway_url(options)
                         : Result<std::string>(fail(ErrorCode::kNotFound, "there is no gateway in this program"));
    if (!url) {
        return fail(Error(ErrorCode::kInvalidArgument,
                          "no server named, and no running gateway to use instead: say --url URL, --server NAME or "
                          "-- PROGRAM …, or start a gateway with `gantry serve`")
                        .caused_by(url.error()));
    }
    options.url = *url;
    options.is_running_gateway = true;
    return {};
}

Result<Client> open_client(const Options& options, const Printer& printer, const Surroundings& surroundings) {
    ConnectOptions connect = connect_options(options, printer);
    if (options.server_name.empty()) return gantry::connect(std::move(connect));
    if (!surroundings.connect_configured)
        return fail(ErrorCode::kUnsupported, "this program knows no configurations: use --url or -- PROGRAM");
    return surroundings.connect_configured(options, std::move(connect));
}

int talk(Options options, const Surroundings& surroundings) {
    const Printer printer(options.color);
    if (auto found = find_target(options, surroundings); !found) return report(options, printer, found.error());
    auto client = open_client(options, printer, surroundings);
    if (!client) return report(options, printer, client.error());
    for (const Entry& entry : kCommands) {
        if (entry.command != options.command) continue;
        const auto done = entry.run(*client, options, printer);
        return done ? static_cast<int>(*done) : report(options, printer, done.error());
    }
    return static_cast<int>(ExitCode::kUsage);
}

int help(const Options& options, ExtraCommands extras) {
    if (const auto text = help_text(options.name, extras)) {
        std::cout << *text;
        return 0;
    }
    std::cerr << "gantry: no help on '" << options.name << "'; `gantry help` lists the commands" << std::endl;
    return static_cast<int>(ExitCode::kUsage);
}

int complete(const Options& options, ExtraCommands extras, const Surroundings& surroundings) {
    if (!options.offers) {
        std::cout << *completion_script(options.name);
        return 0;
    }
    const Offers offers = offers_for(options.server_command, extras);
    for (const Offer& offer : offers.words) {
        std::cout << offer.word;
        if (!offer.help.empty()) std::cout << '\t' << offer.help;
        std::cout << '\n';
    }
    if (offers.names.empty() || !surroundings.names) return 0;
    for (const std::string& name : surroundings.names(offers)) std::cout << offers.name_prefix << name << '\n';
    return 0;
}

int run_command(const std::vector<std::string>& arguments, ExtraCommands extras, const Surroundings& surroundings,
                bool& is_service) {
    Parsed parsed = parse(arguments, extras);
    if (parsed.extra != nullptr) {
        is_service = parsed.extra->is_service;
        return parsed.extra->run();
    }
    if (!parsed.options) return parsed.exit_code;
    switch (parsed.options->command) {
        case Command::kHelp: return help(*parsed.options, extras);
        case Command::kVersion: std::cout << "gantry " << kVersion << '\n'; return 0;
        case Command::kCompletion: return complete(*parsed.options, extras, surroundings);
        default: return talk(*std::move(parsed.options), surroundings);
    }
}

}  // namespace

int run(const std::vector<std::string>& arguments, ExtraCommands extras, const Surroundings& surroundings) {
    StandardOutput output(STDOUT_FILENO);
    bool is_service = false;
    const int code = run_command(arguments, extras, surroundings, is_service);
    return is_service ? code : output.finish(code);
}

}  // namespace gantry::cli
