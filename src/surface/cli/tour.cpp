#include <algorithm>

#include "base/try.hpp"
#include "surface/cli/commands.hpp"
#include "surface/cli/signature.hpp"

namespace gantry::cli {

namespace {

/// A tool for the demonstration: echo if there is one, otherwise the first without required arguments.
const Tool* pick(const std::vector<Tool>& tools) {
    const auto echo = std::ranges::find(tools, "echo", &Tool::name);
    if (echo != tools.end()) return &*echo;
    const auto easy = std::ranges::find_if(tools, [](const Tool& tool) {
        const Json* required = tool.input_schema().find("required");
        return required == nullptr || !required->is_array() || required->if_array()->empty();
    });
    return easy == tools.end() ? nullptr : &*easy;
}

}  // namespace

Result<ExitCode> tour(Client& client, const Options& options, const Printer& printer) {
    const auto server = client.server();
    printer.heading("1. connect");
    printer.line(options.url.empty() ? "  Started '" +
                                           harmless(options.server_command.empty() ? options.server_name
                                                                                   : options.server_command.front()) +
                                           "' as a child process and asked which era it speaks."
                                     : "  Reached " + harmless(options.url) + " and asked which era it speaks.");
    printer.line("  It is " + printer.bold(harmless(server.info.name + ' ' + server.info.version)) +
                 " and speaks MCP " + std::string(mcp::to_string(server.revision)) + '.');

    printer.heading("2. list its tools");
    GANTRY_TRY(const auto tools, client.list_tools());
    for (const Tool& tool : tools) printer.entry(signature(tool), tool.description());

    printer.heading("3. call one");
    const Tool* tool = pick(tools);
    if (tool == nullptr) {
        printer.line("  None of them can be called without arguments; the tour ends here.");
        return ExitCode::kDone;
    }
    JsonObject arguments;
    if (tool->name() == "echo") arguments.set("message", "Hello from Gantry");
    printer.line("  " + tool->name() + ' ' + Json(arguments).dump());
    GANTRY_TRY(const auto result, tool->call(arguments));
    for (const auto& content : result.content) printer.content(content);

    printer.heading("4. close");
    client.close();
    printer.line(options.url.empty() ? "  The child and everything it started are gone." : "  The session is over.");
    printer.line("");
    printer.line("  Try it yourself: gantry tools -- COMMAND …, gantry call TOOL JSON --url URL, gantry --help");
    return result.is_error ? ExitCode::kToolFailed : ExitCode::kDone;
}

}  // namespace gantry::cli
