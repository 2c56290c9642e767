#include "surface/cli/run.hpp"

#include <array>
#include <iostream>

#include "surface/cli/commands.hpp"
#include "surface/cli/connect.hpp"

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
    return static_cast<int>(exit_code_for(error.code()));
}

}  // namespace

int run(const std::vector<std::string>& arguments, ExtraCommands extras) {
    const Parsed parsed = parse(arguments, extras);
    if (parsed.extra != nullptr) return parsed.extra->run();
    if (!parsed.options) return parsed.exit_code;
    const Options& options = *parsed.options;
    if (options.command == Command::kCompletion) {
        std::cout << *completion_script(options.name, extras);
        return 0;
    }
    const Printer printer(options.color);
    auto client = connect(connect_options(options, printer));
    if (!client) return report(options, printer, client.error());
    for (const Entry& entry : kCommands) {
        if (entry.command != options.command) continue;
        const auto done = entry.run(*client, options, printer);
        if (!done) return report(options, printer, done.error());
        std::cout.flush();
        return static_cast<int>(*done);
    }
    return static_cast<int>(ExitCode::kUsage);
}

}  // namespace gantry::cli
