#include "app/control/new_server.hpp"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <utility>

#include "app/config/values.hpp"
#include "base/try.hpp"
#include "gateway/secrets/confidential.hpp"

namespace gantry::app {
namespace {

using Pair = std::pair<std::string, std::string>;

/// Errors do not repeat values: they may be secrets.
Result<Pair> split(const std::string& text, char separator, const char* what) {
    const std::size_t at = text.find(separator);
    if (at == std::string::npos || at == 0) return fail(ErrorCode::kInvalidArgument, what);
    const std::size_t value = separator == ':' ? text.find_first_not_of(' ', at + 1) : at + 1;
    return Pair(text.substr(0, at), value == std::string::npos ? std::string() : text.substr(value));
}

Result<Pair> variable(const std::string& text) {
    return split(text, '=', "--env expects NAME=VALUE");
}
Result<Pair> header(const std::string& text) {
    return split(text, ':', "--header expects 'NAME: VALUE'");
}

Result<void> put_pairs(JsonObject& settings, const char* key, const std::vector<std::string>& texts,
                       Result<Pair> (*read)(const std::string&)) {
    JsonObject pairs;
    for (const std::string& text : texts) {
        GANTRY_TRY(Pair pair, read(text));
        pairs.set(std::move(pair.first), std::move(pair.second));
    }
    if (!pairs.empty()) settings.set(key, std::move(pairs));
    return {};
}

void put_list(JsonObject& settings, const char* key, const std::vector<std::string>& texts) {
    if (texts.empty()) return;
    JsonArray list;
    for (const std::string& text : texts) list.emplace_back(text);
    settings.set(key, std::move(list));
}

/// A program on PATH is left unchanged.
std::string settled_path(const std::string& path) {
    const bool relative = path.contains('/') && !path.starts_with('/') && !path.starts_with('$');
    return relative ? (std::filesystem::current_path() / path).lexically_normal().string() : path;
}

Result<void> put_command(const NewServer& server, JsonObject& settings) {
    const bool over_http = server.transport == "http" || server.transport == "sse";
    if (!server.headers.empty() && !over_http) {
        return fail(ErrorCode::kInvalidArgument,
                    "--header is for a server with a URL, or for a command with --transport http or sse");
    }
    settings.set("command", settled_path(server.command.front()));
    put_list(settings, "args", {server.command.begin() + 1, server.command.end()});
    if (over_http) settings.set("transport", server.transport);
    GANTRY_CHECK(put_pairs(settings, "env", server.env, variable));
    GANTRY_CHECK(put_pairs(settings, "headers", server.headers, header));
    if (!server.cwd.empty()) settings.set("cwd", std::filesystem::absolute(server.cwd).lexically_normal().string());
    return {};
}

Result<void> put_url(const NewServer& server, JsonObject& settings) {
    if (!server.env.empty() || !server.cwd.empty()) {
        return fail(ErrorCode::kInvalidArgument, "--env and --cwd are for a server with a command");
    }
    if (auto url = read_url(Json(server.url)); !url) {
        return fail(ErrorCode::kInvalidArgument,
                    "'" + server.url + "' is no URL: " + url.error() + "; a command is given after --");
    }
    settings.set("url", server.url);
    if (!server.transport.empty()) settings.set("transport", server.transport);
    return put_pairs(settings, "headers", server.headers, header);
}

void note_secret(const Result<Pair>& pair, bool any_name, std::vector<std::string>& found) {
    if (!pair || pair->second.empty() || pair->second.contains("${")) return;
    if (any_name || gateway::sounds_secret(pair->first)) found.push_back(pair->first);
}

}  // namespace

void add_server_settings(CLI::App& command, NewServer& server) {
    command.add_option("name", server.name, "Name of the server; part of its tools' names")
        ->required()
        ->type_name("NAME");
    command.add_option("url", server.url, "URL of the server; a local one is a command after --")->type_name("URL");
    command.add_option("-e,--env", server.env, "NAME=VALUE for its environment; may be repeated")
        ->type_name("NAME=VALUE")
        ->allow_extra_args(false);
    command.add_option("--cwd", server.cwd, "Folder it starts in")->type_name("DIR");
    command.add_option("-H,--header", server.headers, "HTTP header sent to it; may be repeated")
        ->type_name("NAME:VALUE")
        ->allow_extra_args(false);
    command
        .add_option("--transport", server.transport,
                    "http (Streamable HTTP) or sse; default: found out, for a command stdio")
        ->check(CLI::IsMember({"auto", "http", "sse"}).description(""))
        ->type_name("KIND");
    command.add_option("--prefix", server.prefix, "Prefix of its tools' names; none: no prefix")->type_name("TEXT");
    command.add_option("--allow", server.allow, "Offer only tools that match; may be repeated")
        ->type_name("PATTERN")
        ->allow_extra_args(false);
    command.add_option("--deny", server.deny, "Do not offer tools that match; may be repeated")
        ->type_name("PATTERN")
        ->allow_extra_args(false);
    command.add_option("--timeout", server.timeout, "How long a call may show no progress: 30s, 5m")->type_name("TIME");
    command.add_flag("--disabled", server.disabled, "Add it, but do not use it yet");
}

Result<JsonObject> settings_of(const NewServer& server) {
    if (auto name = read_name(Json(server.name)); !name) {
        return fail(ErrorCode::kInvalidArgument, "'" + server.name + "' is not a valid server name: " + name.error());
    }
    if (server.url.empty() == server.command.empty()) {
        return fail(ErrorCode::kInvalidArgument,
                    server.url.empty() ? "name a command or a URL: gantry add " + server.name +
                                             " -- COMMAND ARGUMENTS…, or gantry add " + server.name + " URL"
                                       : "a server is a URL or a command after --, not both");
    }
    JsonObject settings;
    GANTRY_CHECK(server.url.empty() ? put_command(server, settings) : put_url(server, settings));
    if (!server.prefix.empty()) settings.set("prefix", server.prefix);
    put_list(settings, "allow", server.allow);
    put_list(settings, "deny", server.deny);
    if (!server.timeout.empty()) settings.set("timeout", server.timeout);
    if (server.disabled) settings.set("enabled", false);
    return settings;
}

std::vector<std::string> plain_secrets(const NewServer& server) {
    std::vector<std::string> found;
    for (const std::string& text : server.env) note_secret(variable(text), false, found);
    for (const std::string& text : server.headers) {
        const auto pair = header(text);
        note_secret(pair, pair && (pair->first == "Authorization" || pair->first == "authorization"), found);
    }
    return found;
}

}  // namespace gantry::app
