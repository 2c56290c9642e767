#include "app/commands/serve.hpp"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <thread>

#include "app/commands/audit.hpp"
#include "app/commands/serve_args.hpp"
#include "app/commands/shutdown_sequence.hpp"
#include "app/commands/side_services.hpp"
#include "app/gateway/gateway_app.hpp"
#include "app/gateway/reloader.hpp"
#include "app/process/service_manager.hpp"
#include "base/try.hpp"
#include "gantry/client.hpp"
#include "gateway/events/log.hpp"
#include "io/loop.hpp"
#include "io/process/descriptor_limit.hpp"
#include "io/process/standard_streams.hpp"
#include "io/sync.hpp"
#include "surface/cli/exit_code.hpp"

namespace gantry::app {
namespace {

using gateway::events::Log;

int report(const Error& error) {
    std::cerr << "gantry: " << error.message() << std::endl;
    return static_cast<int>(cli::exit_code_for(error.code()));
}

/// An unusable configuration counts as wrong usage, whatever is wrong with it.
int report_config(const Error& error) {
    std::cerr << "gantry: " << error.message() << std::endl;
    return static_cast<int>(cli::ExitCode::kUsage);
}

void say_how_to_connect(const std::string& url) {
    std::cout << "\nFor an MCP client that takes a URL:\n"
              << R"(  {"mcpServers": {"gantry": {"type": "http", "url": ")" << url << "\"}}}\n"
              << "On this command line:\n"
              << "  gantry tools --url " << url << "\n\nCtrl-C stops it." << std::endl;
}

/// Makes one call through the listener that was just opened, as any client would.
int call_once(const std::string& url) {
    auto client = connect({.server = HttpServer{.url = url}});
    if (!client) return report(client.error());
    auto tools = client->list_tools();
    if (!tools) return report(tools.error());
    std::cout << "listed " << tools->size() << " tools\n";
    auto result = client->call("demo_echo", {{"message", "Hello through the gateway"}});
    if (!result) return report(result.error());
    std::cout << "demo_echo answered: " << result->text() << std::endl;
    client->close();
    return result->is_error ? 1 : 0;
}

Task<int> call_once_elsewhere(Loop& loop, std::string url) {
    // The client blocks, so it runs on a thread of its own while the loop serves it.
    Event done;
    int code = 0;
    std::thread caller([&] {
        const int result = call_once(url);
        loop.post([&, result] {
            code = result;
            done.set();
        });
    });
    auto waited = co_await done.wait(Context::background());
    static_cast<void>(waited);
    caller.join();
    co_return code;
}

/// Clients and the control socket are served from the first line on, while servers connect. Startup is complete once
/// the way to connect has been printed.
Task<int> serve_until_told(Loop& loop, GatewayApp& app, EndSignals& signals, SideServices& services, bool once) {
    const Context wanted = signals.until_first();
    if (!once) services.start();
    std::cout << "gantry serves MCP at " << app.url() << std::endl;
    notify_service_manager("READY=1");
    co_await app.settled(wanted);
    if (!wanted.check()) co_return 0;
    std::cout << app.summary() << std::endl;
    if (auto complete = co_await app.require(wanted); !complete) {
        co_return wanted.check() ? report(complete.error()) : 0;
    }
    if (once) co_return co_await call_once_elsewhere(loop, app.url());
    if (Reloader* const reloader = services.reloader()) {
        signals.on_hangup([reloader](const Context& ctx) { return reloader->reload_and_tell(ctx); });
    }
    say_how_to_connect(app.url());
    co_await signals.first();
    co_return 0;
}

Task<int> serve(Loop& loop, ServeArgs args) {
    if (auto settled = choose_config_file(args); !settled) co_return report(settled.error());
    const auto redactor = std::make_shared<Redactor>();
    const std::size_t descriptors = process::raise_descriptor_limit();
    const auto files = std::make_shared<PinnedFiles>();
    const auto load = [args, redactor, descriptors, files]() -> Result<Config> {
        GANTRY_TRY(Config config, configuration_of(args, *redactor, files));
        fit_connections(config, descriptors);
        return config;
    };
    auto config = load();
    if (!config) co_return report_config(config.error());
    Log log(config->events.log, STDERR_FILENO, redactor.get());
    const Notes notes = notes_for(args, redactor, log);
    GatewayApp app(loop, *std::move(config), notes);
    ShutdownSequence shutdown(app);
    SideServices services(loop, app, args, load, files, notes);
    EndSignals& signals = shutdown.signals();
    // A single call blocks on its own thread, where signals keep their default effect.
    auto begun = args.once ? Result<void>() : signals.begin(services.reloader() != nullptr);
    if (begun) begun = app.start();
    if (begun) begun = app.listen();
    const int code = begun ? co_await serve_until_told(loop, app, signals, services, args.once) : report(begun.error());
    co_await shutdown.run(services);
    co_return code;
}

/// Standard output belongs to the protocol: everything for the operator goes to standard error.
Task<int> serve_stdio(Loop& loop, ServeArgs args) {
    if (auto settled = choose_config_file(args); !settled) co_return report(settled.error());
    const auto redactor = std::make_shared<Redactor>();
    const auto files = std::make_shared<PinnedFiles>();
    const auto load = [args, redactor, files] { return configuration_of(args, *redactor, files); };
    auto config = load();
    if (!config) co_return report_config(config.error());
    auto stream = process::standard_streams(loop);
    if (!stream) co_return report(stream.error());
    Log log(config->events.log, STDERR_FILENO, redactor.get());
    const Notes notes = notes_for(args, redactor, log);
    GatewayApp app(loop, *std::move(config), notes);
    ShutdownSequence shutdown(app);
    SideServices services(loop, app, args, load, files, notes);
    EndSignals& signals = shutdown.signals();
    auto done = signals.begin(false);
    if (done) done = app.start();
    if (done) services.start();
    if (done) done = co_await app.require(signals.until_first());
    if (done) done = co_await app.serve(signals.until_first(), **stream);
    const bool asked_to_end = !signals.until_first().check();
    const int code = done || asked_to_end ? 0 : report(done.error());
    co_await shutdown.run(services);
    co_return code;
}

int run(Task<int> (*what)(Loop&, ServeArgs), const ServeArgs& args) {
    Loop loop;
    return loop.run_until_done(what(loop, args));
}

}  // namespace

std::vector<cli::ExtraCommand> gateway_commands() {
    const auto served = std::make_shared<ServeArgs>();
    const auto piped = std::make_shared<ServeArgs>();
    std::vector<cli::ExtraCommand> commands;
    commands.push_back(
        {.name = "serve",
         .description = "Serve many MCP servers as one over HTTP",
         .example = "gantry serve\n  gantry serve --config gantry.yaml --listen 127.0.0.1:8090",
         .describe =
             [served](CLI::App& command) {
                 add_common_options(command, *served);
                 command.add_option("--listen", served->listen, "Address to listen on; default 127.0.0.1:8090")
                     ->type_name("HOST:PORT");
                 command.add_flag("--once", served->once, "Make one call through it, then stop");
             },
         .run = [served] { return run(&serve, *served); },
         .is_service = true});
    commands.push_back({.name = "stdio",
                        .description = "Serve many MCP servers as one on standard input and output",
                        .example = "gantry stdio --config gantry.yaml",
                        .describe = [piped](CLI::App& command) { add_common_options(command, *piped); },
                        .run = [piped] { return run(&serve_stdio, *piped); },
                        .is_service = true});
    for (cli::ExtraCommand& command : audit_commands()) commands.push_back(std::move(command));
    return commands;
}

}  // namespace gantry::app
