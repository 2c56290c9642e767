#include "app/surroundings/configured_server.hpp"

#include <algorithm>
#include <memory>
#include <set>

#include "app/config/config.hpp"
#include "app/gateway/make_sandbox.hpp"
#include "base/nearest.hpp"
#include "base/redact/redactor.hpp"
#include "base/try.hpp"
#include "client/route.hpp"
#include "gateway/secrets/resolver.hpp"
#include "gateway/state/state_folder.hpp"
#include "io/loop.hpp"

namespace gantry::app {
namespace {

using gateway::EraWish;
using gateway::McpServerSpec;
using gateway::WireWish;

constexpr Duration kSecretsTime = seconds(60);

Result<McpServerSpec> find_server(const Config& config, const std::string& file, const std::string& name) {
    const auto found = std::ranges::find(config.servers, name, &McpServerSpec::name);
    if (found != config.servers.end()) return *found;
    std::set<std::string_view> known;
    for (const McpServerSpec& server : config.servers) known.insert(server.name);
    return fail(ErrorCode::kNotFound, file + " has no server '" + name + "'" + did_you_mean(nearest_name(name, known)));
}

Task<Result<McpServerSpec>> resolved(gateway::SecretResolver& secrets, McpServerSpec spec) {
    co_return co_await secrets.resolve(Context::background().within(kSecretsTime), std::move(spec));
}

Era era_of(EraWish era) {
    if (era == EraWish::kLegacy) return Era::kLegacy;
    return era == EraWish::kModern ? Era::kModern : Era::kAuto;
}

HttpServer::Transport transport_of(WireWish wish) {
    if (wish == WireWish::kSse) return HttpServer::Transport::kSse;
    return wish == WireWish::kStreamableHttp ? HttpServer::Transport::kStreamableHttp : HttpServer::Transport::kAuto;
}

void fill_in(const McpServerSpec& spec, const cli::Options& options, ConnectOptions& connect) {
    if (options.era == Era::kAuto) connect.era = era_of(spec.era);
    if (!options.timeout) {
        connect.connect_timeout = std::chrono::duration_cast<std::chrono::milliseconds>(connect_limit(spec));
        connect.call_timeout = std::chrono::duration_cast<std::chrono::milliseconds>(spec.timeout);
        connect.call_cap = std::chrono::duration_cast<std::chrono::milliseconds>(spec.total_timeout);
    }
    if (!spec.is_child()) {
        Fields headers = spec.headers;
        headers.insert(headers.end(), options.headers.begin(), options.headers.end());
        connect.server = HttpServer{.url = spec.url,
                                    .headers = std::move(headers),
                                    .transport = transport_of(spec.transport),
                                    .ca_file = options.ca_file};
        return;
    }
    auto& child = std::get<StdioServer>(connect.server);
    child.command = spec.command;
    child.args = spec.args;
    Fields env(spec.env.begin(), spec.env.end());
    env.insert(env.end(), child.env.begin(), child.env.end());
    child.env = std::move(env);
    if (child.cwd.empty()) child.cwd = spec.cwd;
}

/// Masks secrets that the server repeats before they reach the terminal.
void mask(const std::shared_ptr<Redactor>& secrets, ConnectOptions& connect) {
    if (connect.on_wire) {
        connect.on_wire = [secrets, show = std::move(connect.on_wire)](const WireEvent& event) {
            show({.outgoing = event.outgoing, .text = secrets->masked(event.text)});
        };
    }
    auto* child = std::get_if<StdioServer>(&connect.server);
    if (child != nullptr && child->on_stderr) {
        child->on_stderr = [secrets, show = std::move(child->on_stderr)](std::string_view line) {
            show(secrets->masked(std::string(line)));
        };
    }
}
Error masked(const Redactor& secrets, const Error& error) {
    Error out(error.code(), secrets.masked(error.message()));
    if (error.rpc() != nullptr) out = std::move(out).rpc(*error.rpc());
    if (error.cause() != nullptr) out = std::move(out).caused_by(masked(secrets, *error.cause()));
    return out;
}

}  // namespace

Result<Client> connect_configured(const cli::Options& options, ConnectOptions connect) {
    const auto redactor = std::make_shared<Redactor>();
    // Pinned, so that the sandbox locks the folders of the configuration and of the files it refers to.
    auto config = load_config(options.config, redactor.get(), std::make_shared<PinnedFiles>());
    if (!config) return fail(ErrorCode::kInvalidArgument, config.error().message());
    GANTRY_TRY(McpServerSpec spec, find_server(*config, options.config, options.server_name));
    {
        Loop loop;
        gateway::ChainResolver secrets(config->secrets, *redactor);
        GANTRY_TRY(spec, loop.run_until_done(resolved(secrets, std::move(spec))));
    }
    if (spec.is_http_child()) {
        return fail(ErrorCode::kUnsupported, "server '" + spec.name +
                                                 "' is a program that is reached over HTTP, which only the gateway "
                                                 "starts: run gantry serve and use its URL, /mcp/servers/" +
                                                 spec.name);
    }
    fill_in(spec, options, connect);
    mask(redactor, connect);
    std::filesystem::path state = config->state_dir;
    if (state.empty()) {
        GANTRY_TRY(state, gateway::default_state_folder());
    }
    const auto sandbox = make_sandbox(places_of(*config, state), {}, [](const std::string&, const std::string&) {});
    auto client = connect_with(std::move(connect), {.prepare = [sandbox, spec](process::Command& command) {
                                   return sandbox->confine(spec, command);
                               }});
    if (!client) return fail(masked(*redactor, client.error()));
    return client;
}

}  // namespace gantry::app
