#pragma once

#include "gantry/client.hpp"
#include "surface/cli/exit_code.hpp"
#include "surface/cli/options.hpp"
#include "surface/cli/print.hpp"

namespace gantry::cli {

/// One command against a connected server. The caller prints the Error.
Result<ExitCode> list_tools(Client& client, const Options& options, const Printer& printer);
Result<ExitCode> list_prompts(Client& client, const Options& options, const Printer& printer);
Result<ExitCode> list_resources(Client& client, const Options& options, const Printer& printer);
Result<ExitCode> call_tool(Client& client, const Options& options, const Printer& printer);
Result<ExitCode> read_resource(Client& client, const Options& options, const Printer& printer);
Result<ExitCode> get_prompt(Client& client, const Options& options, const Printer& printer);
Result<ExitCode> ping(Client& client, const Options& options, const Printer& printer);
Result<ExitCode> inspect(Client& client, const Options& options, const Printer& printer);
Result<ExitCode> tour(Client& client, const Options& options, const Printer& printer);

}  // namespace gantry::cli
