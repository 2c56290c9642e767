#include "app/gateway/commands.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <csignal>
#include <iostream>
#include <memory>
#include <thread>

#include "app/gateway/embedded.hpp"
#include "app/gateway/gateway_app.hpp"
#include "base/try.hpp"
#include "gantry/client.hpp"
#include "io/loop.hpp"
#include "io/process/descriptor_limit.hpp"
#include "io/process/standard_streams.hpp"
#include "io/scope.hpp"
#include "io/signals.hpp"
#include "io/sync.hpp"
#include "surface/cli/exit_code.hpp"

namespace gantry::app {
namespace {

constexpr std::array kEndSignals = {SIGINT, SIGTERM};

struct Asked {
    std::string config;
    std::string listen;
    std::string state_dir;
    bool log_calls = false;
    bool show_stderr = false;
    bool once = false;
};

Result<Config> configuration(const Asked& asked) {
    Config config;
    if (asked.config.empty()) {
        config = embedded_config();
    } else {
        GANTRY_TRY(config, load_config(asked.config));
    }
    if (!asked.listen.empty()) config.listen = asked.listen;
    if (!asked.state_dir.empty()) config.state_dir = asked.state_dir;
    return config;
}

/// Every connection needs a descriptor, and so do servers and files: better fewer clients than a gateway that cannot
/// reach its servers.
void fit_connections(Config& config, std::size_t descriptors) {
    const std::size_t others = std::min<std::size_t>(descriptors / 4, 512);
    const std::size_t most = descriptors - others;
    if (descriptors == 0 || config.max_connections <= most) return;
    config.warnings.push_back("the system allows " + std::to_string(descriptors) + " open files: only " +
                              std::to_string(most) + " connections are taken, not " +
                              std::to_string(config.max_connections) + "; raise the limit (ulimit -Hn, LimitNOFILE)");
    config.max_connections = most;
}

Notes notes_for(const Asked& asked) {
    Notes notes;
    notes.note = [](std::string_view text) { std::cerr << "gantry: " << text << std::endl; };
    if (asked.log_calls) notes.call = [](std::string_view text) { std::cerr << "call: " << text << std::endl; };
    if (asked.show_stderr)
        notes.server_stderr = [](std::string_view server, std::string_view line) {
            std::cerr << server << ": " << line << std::endl;
        };
    return notes;
}

int report(const Error& error) {
    std::cerr << "gantry: " << error.message() << std::endl;
    return static_cast<int>(cli::exit_code_for(error.code()));
}

void say_how_to_connect(const std::string& url) {
    std::cout << "\nFor an MCP client that takes a URL:\n"
              << R"(  {"mcpServers": {"gantry": {"type": "http", "url": ")" << url << "\"}}}\n"
              << "On this command line:\n"
              << "  gantry tools --url " << url << "\n\nCtrl-C stops it." << std::endl;
}

/// One call through the listener that was just opened, as any client would make it.
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
    // The client blocks, so it has a thread of its own; the loop goes on serving it.
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

Task<int> serve(Loop& loop, Asked asked) {
    auto config = configuration(asked);
    if (!config) co_return report(config.error());
    fit_connections(*config, process::raise_descriptor_limit());
    GatewayApp app(loop, *std::move(config), notes_for(asked));
    if (auto started = app.start(); !started) co_return report(started.error());
    int code = 0;
    if (auto listening = app.listen(); !listening) {
        code = report(listening.error());
    } else {
        std::cout << "gantry serves MCP at " << app.url() << std::endl;
        co_await app.settled(Context::background());
        std::cout << app.summary() << std::endl;
        if (asked.once) {
            code = co_await call_once_elsewhere(loop, app.url());
        } else {
            say_how_to_connect(app.url());
            auto signal = co_await wait_for_signal(Context::background(), kEndSignals);
            if (!signal) code = report(signal.error());
        }
    }
    co_await app.stop();
    co_return code;
}

Task<void> serve_stream(Context ctx, GatewayApp& app, Stream& stream, const CancelSource& others, int& code) {
    if (auto served = co_await app.serve(ctx, stream); !served && served.error().code() != ErrorCode::kCancelled)
        code = report(served.error());
    others.cancel();
}

Task<void> watch_signals(Context ctx, const CancelSource& others) {
    auto signal = co_await wait_for_signal(ctx, kEndSignals);
    static_cast<void>(signal);  // a signal or the end of the conversation: both end the other
    others.cancel();
}

/// Standard output belongs to the protocol: everything for people goes to standard error.
Task<int> serve_stdio(Loop& loop, Asked asked) {
    auto config = configuration(asked);
    if (!config) co_return report(config.error());
    auto stream = process::standard_streams(loop);
    if (!stream) co_return report(stream.error());
    GatewayApp app(loop, *std::move(config), notes_for(asked));
    if (auto started = app.start(); !started) co_return report(started.error());
    int code = 0;
    const CancelSource end;
    Scope scope(Context::background().stopped_by(end));
    scope.spawn(serve_stream(scope.context(), app, **stream, end, code));
    scope.spawn(watch_signals(scope.context(), end));
    co_await scope.join();
    co_await app.stop();
    co_return code;
}

void add_common(CLI::App& command, Asked& asked) {
    command.add_option("-c,--config", asked.config, "Configuration file (YAML or JSON); without it: demo tools")
        ->check(CLI::ExistingFile.description(""))
        ->type_name("FILE");
    command.add_option("--state-dir", asked.state_dir, "Folder for keys and names; default: under the user's data")
        ->type_name("DIR");
    command.add_flag("--log-calls", asked.log_calls, "One line on stderr for every call");
    command.add_flag("--stderr", asked.show_stderr, "Show what servers write to stderr");
}

int run(Task<int> (*what)(Loop&, Asked), const Asked& asked) {
    Loop loop;
    return loop.run_until_done(what(loop, asked));
}

}  // namespace

std::vector<cli::ExtraCommand> gateway_commands() {
    const auto served = std::make_shared<Asked>();
    const auto piped = std::make_shared<Asked>();
    std::vector<cli::ExtraCommand> commands;
    commands.push_back(
        {.name = "serve",
         .description = "Serve many MCP servers as one over HTTP",
         .example = "gantry serve --config gantry.yaml --listen 127.0.0.1:8090",
         .describe =
             [served](CLI::App& command) {
                 add_common(command, *served);
                 command.add_option("--listen", served->listen, "Address to listen on; default 127.0.0.1:8090")
                     ->type_name("HOST:PORT");
                 command.add_flag("--once", served->once, "Make one call through it, then stop");
             },
         .run = [served] { return run(&serve, *served); }});
    commands.push_back({.name = "stdio",
                        .description = "Serve many MCP servers as one on standard input and output",
                        .example = "gantry stdio --config gantry.yaml",
                        .describe = [piped](CLI::App& command) { add_common(command, *piped); },
                        .run = [piped] { return run(&serve_stdio, *piped); }});
    return commands;
}

}  // namespace gantry::app
