#include "app/gateway/commands.hpp"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <functional>
#include <iostream>
#include <memory>
#include <optional>
#include <thread>

#include "app/gateway/audit_commands.hpp"
#include "app/gateway/control_channel.hpp"
#include "app/gateway/embedded.hpp"
#include "app/gateway/end_signals.hpp"
#include "app/gateway/gateway_app.hpp"
#include "app/gateway/last_resort.hpp"
#include "app/gateway/reloader.hpp"
#include "app/gateway/service_manager.hpp"
#include "base/try.hpp"
#include "gantry/client.hpp"
#include "gateway/events/log.hpp"
#include "io/loop.hpp"
#include "io/process/descriptor_limit.hpp"
#include "io/process/standard_streams.hpp"
#include "io/scope.hpp"
#include "io/sync.hpp"
#include "surface/cli/exit_code.hpp"

namespace gantry::app {
namespace {

using gateway::LogLevel;
using gateway::events::Log;

/// The default configuration file of `serve` and `stdio`.
constexpr const char* kUsualFile = "gantry.yaml";

struct Asked {
    std::string config;
    std::string listen;
    std::string state_dir;
    bool log_calls = false;
    bool show_stderr = false;
    bool once = false;
    bool no_watch = false;
    bool demo = false;
};

/// Selects the default, gantry.yaml in the current folder, if no file is given. Nothing is downloaded or started
/// implicitly.
Result<void> settle_config(Asked& asked) {
    if (asked.demo || !asked.config.empty()) return {};
    std::error_code error;
    if (!std::filesystem::exists(kUsualFile, error)) {
        return fail(ErrorCode::kInvalidArgument,
                    "there is no gantry.yaml in this folder. To begin:\n"
                    "  gantry init                      write a commented gantry.yaml\n"
                    "  gantry add NAME -- COMMAND …     or one with a first server\n"
                    "  gantry serve --config FILE       use another file\n"
                    "  gantry serve --demo              try the gateway with built-in tools");
    }
    asked.config = kUsualFile;
    return {};
}

Result<Config> configuration(const Asked& asked, Redactor& redactor, const std::shared_ptr<PinnedFiles>& files) {
    Config config;
    if (asked.demo) {
        config = embedded_config();
    } else {
        GANTRY_TRY(config, load_config(asked.config, &redactor, files));
    }
    if (!asked.listen.empty()) config.listen = asked.listen;
    if (!asked.state_dir.empty()) config.state_dir = asked.state_dir;
    if (asked.log_calls) config.events.log.calls = true;
    return config;
}

/// Every connection needs a descriptor, and so do servers and files: fewer clients are better than a gateway that
/// cannot reach its servers.
void fit_connections(Config& config, std::size_t descriptors) {
    const std::size_t others = std::min<std::size_t>(descriptors / 4, 512);
    const std::size_t most = descriptors - others;
    if (descriptors == 0 || config.max_connections <= most) return;
    config.warnings.push_back("the system allows " + std::to_string(descriptors) + " open files: only " +
                              std::to_string(most) + " connections are taken, not " +
                              std::to_string(config.max_connections) + "; raise the limit (ulimit -Hn, LimitNOFILE)");
    config.max_connections = most;
}

/// `log` must outlive the result.
Notes notes_for(const Asked& asked, std::shared_ptr<Redactor> redactor, Log& log) {
    Notes notes{.log = &log, .redactor = std::move(redactor)};
    notes.note = [&log](std::string_view text) { log.write(LogLevel::kWarning, text); };
    notes.server_note = [&log](std::string_view server, std::string_view text) {
        log.write(LogLevel::kWarning, text, {{"server", server}});
    };
    // Kept for `gantry logs` in any case.
    notes.server_stderr = [&log, told = asked.show_stderr](std::string_view server, std::string_view line) {
        log.write_stderr(server, line, told);
    };
    return notes;
}

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

/// Services beside a running gateway: the control channel, and the watch of its configuration file.
class Company {
public:
    Company(Loop& loop, GatewayApp& app, const Asked& asked, std::function<Result<Config>()> load,
            std::shared_ptr<PinnedFiles> files, const Notes& notes)
        : note_(notes.note), follow_(!asked.no_watch), scope_(Context::background()) {
        if (!asked.config.empty()) {
            reloader_.emplace(Reloader::Parts{.app = app,
                                              .file = asked.config,
                                              .load = std::move(load),
                                              .files = std::move(files),
                                              .note = notes.note,
                                              .info = [log = notes.log](std::string_view text) {
                                                  if (log != nullptr) log->write(LogLevel::kInfo, text);
                                              }});
        }
        control_.emplace(
            loop, ControlChannel::Parts{.app = app, .reloader = reloader_ ? &*reloader_ : nullptr, .log = notes.log});
    }

    void start() {
        if (auto started = control_->start(); !started) {
            note_("gantry status and its like cannot reach this gateway: " + started.error().message());
        }
        if (reloader_ && follow_) scope_.spawn(reloader_->follow_file(scope_.context()));
    }

    Task<void> stop() {
        scope_.cancel();
        co_await scope_.join();
        co_await control_->stop();
    }

    /// Null: there is no file to reload.
    Reloader* reloader() noexcept { return reloader_ ? &*reloader_ : nullptr; }

private:
    std::function<void(std::string_view)> note_;
    bool follow_;
    std::optional<Reloader> reloader_;
    std::optional<ControlChannel> control_;
    Scope scope_;
};

/// A second for ending by force, and one for flushing to disk.
constexpr Duration kByForce = seconds(2);

/// The shutdown of a running gateway: in bounded time, in any state.
class Ending {
public:
    explicit Ending(GatewayApp& app)
        : app_(app),
          last_resort_(static_cast<int>(cli::exit_code_for(ErrorCode::kTimeout))),
          signals_({.first = [this] { begin(); }, .again = [this] { hurry(); }}) {}

    EndSignals& signals() noexcept { return signals_; }

    /// In reverse order of the start.
    Task<void> end(Company& company) {
        begin();
        co_await signals_.end_reloads();
        co_await company.stop();
        co_await app_.stop();
        co_await signals_.stop();
    }

private:
    void begin() {
        notify_service_manager("STOPPING=1");
        app_.begin_stop();
        last_resort_.arm(app_.stop_timeout() + kByForce);
    }
    void hurry() {
        app_.hurry();
        last_resort_.arm(kByForce);
    }

    GatewayApp& app_;
    LastResort last_resort_;
    EndSignals signals_;
};

/// Clients and the control socket are served from the first line on, while servers connect. Startup is complete once
/// the way to connect has been printed.
Task<int> serve_until_told(Loop& loop, GatewayApp& app, EndSignals& signals, Company& company, bool once) {
    const Context wanted = signals.until_first();
    if (!once) company.start();
    std::cout << "gantry serves MCP at " << app.url() << std::endl;
    notify_service_manager("READY=1");
    co_await app.settled(wanted);
    if (!wanted.check()) co_return 0;
    std::cout << app.summary() << std::endl;
    if (auto complete = co_await app.require(wanted); !complete) {
        co_return wanted.check() ? report(complete.error()) : 0;
    }
    if (once) co_return co_await call_once_elsewhere(loop, app.url());
    if (Reloader* const reloader = company.reloader()) {
        signals.on_hangup([reloader](const Context& ctx) { return reloader->reload_and_tell(ctx); });
    }
    say_how_to_connect(app.url());
    co_await signals.first();
    co_return 0;
}

Task<int> serve(Loop& loop, Asked asked) {
    if (auto settled = settle_config(asked); !settled) co_return report(settled.error());
    const auto redactor = std::make_shared<Redactor>();
    const std::size_t descriptors = process::raise_descriptor_limit();
    const auto files = std::make_shared<PinnedFiles>();
    const auto load = [asked, redactor, descriptors, files]() -> Result<Config> {
        GANTRY_TRY(Config config, configuration(asked, *redactor, files));
        fit_connections(config, descriptors);
        return config;
    };
    auto config = load();
    if (!config) co_return report_config(config.error());
    Log log(config->events.log, STDERR_FILENO, redactor.get());
    const Notes notes = notes_for(asked, redactor, log);
    GatewayApp app(loop, *std::move(config), notes);
    Ending ending(app);
    Company company(loop, app, asked, load, files, notes);
    EndSignals& signals = ending.signals();
    // A single call blocks on its own thread, where signals keep their default effect.
    auto begun = asked.once ? Result<void>() : signals.begin(company.reloader() != nullptr);
    if (begun) begun = app.start();
    if (begun) begun = app.listen();
    const int code = begun ? co_await serve_until_told(loop, app, signals, company, asked.once) : report(begun.error());
    co_await ending.end(company);
    co_return code;
}

/// Standard output belongs to the protocol: everything for the operator goes to standard error.
Task<int> serve_stdio(Loop& loop, Asked asked) {
    if (auto settled = settle_config(asked); !settled) co_return report(settled.error());
    const auto redactor = std::make_shared<Redactor>();
    const auto files = std::make_shared<PinnedFiles>();
    const auto load = [asked, redactor, files] { return configuration(asked, *redactor, files); };
    auto config = load();
    if (!config) co_return report_config(config.error());
    auto stream = process::standard_streams(loop);
    if (!stream) co_return report(stream.error());
    Log log(config->events.log, STDERR_FILENO, redactor.get());
    const Notes notes = notes_for(asked, redactor, log);
    GatewayApp app(loop, *std::move(config), notes);
    Ending ending(app);
    Company company(loop, app, asked, load, files, notes);
    EndSignals& signals = ending.signals();
    auto done = signals.begin(false);
    if (done) done = app.start();
    if (done) company.start();
    if (done) done = co_await app.require(signals.until_first());
    if (done) done = co_await app.serve(signals.until_first(), **stream);
    const bool asked_to_end = !signals.until_first().check();
    const int code = done || asked_to_end ? 0 : report(done.error());
    co_await ending.end(company);
    co_return code;
}

void add_common(CLI::App& command, Asked& asked) {
    auto* config =
        command.add_option("-c,--config,file", asked.config, "Configuration file (YAML or JSON); default gantry.yaml")
            ->check(CLI::ExistingFile.description(""))
            ->type_name("FILE");
    command.add_flag("--demo", asked.demo, "Built-in tools to try things with, instead of a configuration")
        ->excludes(config);
    command.add_option("--state-dir", asked.state_dir, "Folder for keys and names; default: under the user's data")
        ->type_name("DIR");
    command.add_flag("--no-watch", asked.no_watch, "Do not reload when the file changes; gantry reload still does");
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
         .example = "gantry serve\n  gantry serve --config gantry.yaml --listen 127.0.0.1:8090",
         .describe =
             [served](CLI::App& command) {
                 add_common(command, *served);
                 command.add_option("--listen", served->listen, "Address to listen on; default 127.0.0.1:8090")
                     ->type_name("HOST:PORT");
                 command.add_flag("--once", served->once, "Make one call through it, then stop");
             },
         .run = [served] { return run(&serve, *served); },
         .is_service = true});
    commands.push_back({.name = "stdio",
                        .description = "Serve many MCP servers as one on standard input and output",
                        .example = "gantry stdio --config gantry.yaml",
                        .describe = [piped](CLI::App& command) { add_common(command, *piped); },
                        .run = [piped] { return run(&serve_stdio, *piped); },
                        .is_service = true});
    for (cli::ExtraCommand& command : audit_commands()) commands.push_back(std::move(command));
    return commands;
}

}  // namespace gantry::app
