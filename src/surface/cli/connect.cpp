#include "surface/cli/connect.hpp"

#include <unistd.h>

#include <cstdlib>
#include <iostream>

#include "base/version.hpp"
#include "surface/cli/ask.hpp"
#include "surface/cli/secrets.hpp"

namespace gantry::cli {

namespace {

constexpr std::size_t kBarWidth = 24;
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
    if (isatty(STDERR_FILENO) == 1) {
        std::cerr << "\r\033[K" << text << std::flush;
        drawing = true;
    } else {
        std::cerr << text << '\n';
    }
}

}  // namespace

ConnectOptions connect_options(const Options& options, const Printer& printer) {
    ConnectOptions connect;
    connect.self.name = "gantry";
    connect.self.version = kVersion;
    connect.era = options.era;
    connect.era_memory = EraMemory::kUser;
    connect.probe_again = options.probe;
    connect.call_timeout = options.timeout;
    connect.connect_timeout = std::max(options.timeout, std::chrono::milliseconds(30'000));
    connect.log_level = options.log_level;
    if (!options.url.empty()) {
        HttpServer server{
            .url = options.url, .headers = options.headers, .transport = options.transport, .ca_file = options.ca_file};
        if (options.login || !options.client_id.empty()) server.authorization = login(options);
        connect.server = std::move(server);
    } else {
        StdioServer server{.command = options.server_command.front(),
                           .args = {options.server_command.begin() + 1, options.server_command.end()},
                           .env = options.env,
                           .cwd = options.cwd};
        if (options.show_stderr) {
            server.on_stderr = [printer](std::string_view text) {
                std::cerr << printer.dim("server: " + harmless(text)) << '\n';
            };
        }
        connect.server = std::move(server);
    }
    // Without the query, which may be secret.
    const std::string asker =
        options.url.empty() ? options.server_command.front() : options.url.substr(0, options.url.find_first_of("?#"));
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
    return [](const mcp::Progress& progress) { draw(progress); };
}

void end_progress_line() {
    if (std::exchange(drawing, false)) std::cerr << "\r\033[K" << std::flush;
}

}  // namespace gantry::cli
