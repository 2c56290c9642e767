#include "surface/cli/connect.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>

#include "base/version.hpp"
#include "surface/cli/ask.hpp"
#include "surface/cli/secrets.hpp"

namespace gantry::cli {

namespace {

constexpr std::size_t kBarWidth = 24;
constexpr std::chrono::milliseconds kStopTime{2'000};
bool drawing = false;  // Gantry's thread draws, the main thread ends the line after the call is over

Authorization login(const Options& options) {
    UserLogin user;
    user.open_browser = options.open_browser;
    user.announce = [](const std::string& url) { std::cerr << "To log in, open: " << harmless(url) << '\n'; };
    Authorization authorization{.how = std::move(user), .client_id = options.client_id, .scopes = options.scopes};
    if (const char* secret =
            options.client_secret_env.empty() ? nullptr : std::getenv(options.client_secret_env.c_str())) {
        authorization.client_secret = secret;
    }
    return authorization;
}

std::string number(double value) {
    return Json(value).dump();
}

void draw(const mcp::Progress& progress) {
    std::string text;
    if (progress.total && *progress.total > 0) {
        const double share = std::min(1.0, std::max(0.0, progress.progress / *progress.total));
        const auto filled = static_cast<std::size_t>(share * kBarWidth);
        text = '[' + std::string(filled, '#') + std::string(kBarWidth - filled, ' ') + "] " +
               number(progress.progress) + '/' + number(*progress.total);
    } else {
        text = "[…] " + number(progress.progress);
    }
    if (progress.message) text += ' ' + harmless(*progress.message);
    std::cerr << "\r\033[K" << text << std::flush;
    drawing = true;
}

/// The server part of the options, as given on the command line.
std::variant<StdioServer, HttpServer> server_of(const Options& options, const Printer& printer) {
    if (!options.url.empty()) {
        HttpServer server{
            .url = options.url, .headers = options.headers, .transport = options.transport, .ca_file = options.ca_file};
        if (options.login || !options.client_id.empty()) server.authorization = login(options);
        return server;
    }
    StdioServer server;
    if (!options.server_command.empty()) {
        server.command = options.server_command.front();
        server.args = {options.server_command.begin() + 1, options.server_command.end()};
    }
    server.env = options.env;
    server.cwd = options.cwd;
    // With a timeout, closing may not spend longer than that on a child that ignores the end of its input.
    if (options.timeout)
        server.stop_timeout = std::clamp(*options.timeout / 4, std::chrono::milliseconds(100), kStopTime);
    if (options.show_stderr) {
        server.on_stderr = [printer](std::string_view text) {
            std::cerr << printer.dim("server: " + harmless(text)) << '\n';
        };
    }
    return server;
}

/// A URL without its query, which may be secret.
std::string display_name(const Options& options) {
    if (!options.server_name.empty()) return options.server_name;
    return options.url.empty() ? options.server_command.front()
                               : options.url.substr(0, options.url.find_first_of("?#"));
}

}  // namespace

ConnectOptions connect_options(const Options& options, const Printer& printer) {
    ConnectOptions connect;
    connect.self.name = "gantry";
    connect.self.version = kVersion;
    connect.era = options.era;
    connect.era_memory = EraMemory::kUser;
    connect.probe_again = options.probe;
    if (options.timeout) {
        connect.total_timeout = *options.timeout;
        connect.connect_timeout = *options.timeout;
        connect.call_timeout = *options.timeout;
        connect.call_cap = *options.timeout;
    }
    connect.log_level = options.log_level;
    connect.server = server_of(options, printer);
    if (!options.server_name.empty()) connect.name = options.server_name;
    const std::string asker = display_name(options);
    connect.handlers.elicit = [printer, asker](const mcp::ElicitParams& params) {
        return ask_person(printer, asker, params);
    };
    connect.handlers.elicit_by_url = true;
    connect.handlers.on_log = [printer](const mcp::LogMessage& message) {
        const auto level = message.level.known();
        const std::string* text = message.data.if_string();
        std::cerr << printer.dim(std::string(level ? mcp::to_string(*level) : "log") + ": " +
                                 harmless(text ? *text : message.data.dump()))
                  << '\n';
    };
    connect.handlers.on_skipped = [printer](const Error& error) {
        std::cerr << printer.dim("warning: " + harmless(error.message())) << '\n';
    };
    if (options.trace) {
        connect.on_wire = [printer, secrets = Secrets(options)](const WireEvent& event) {
            end_progress_line();
            std::cerr << (event.outgoing ? printer.green("--> ") : printer.cyan("<-- "))
                      << harmless(secrets.masked(event.text)) << '\n';
        };
    }
    return connect;
}

std::function<void(const mcp::Progress&)> progress_line() {
    // Requested in any case: progress keeps a long call alive.
    if (isatty(STDERR_FILENO) == 0) return [](const mcp::Progress&) {};
    return [](const mcp::Progress& progress) { draw(progress); };
}

void end_progress_line() {
    if (std::exchange(drawing, false)) std::cerr << "\r\033[K" << std::flush;
}

}  // namespace gantry::cli
