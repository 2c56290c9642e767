#include "app/clients/convert.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

#include "gateway/secrets/confidential.hpp"

namespace gantry::app {
namespace {

using gateway::McpServerSpec;
using gateway::WireWish;

std::string as_variable(std::string_view text) {
    std::string out;
    for (const char c : text) {
        out += std::isalnum(static_cast<unsigned char>(c)) ? static_cast<char>(std::toupper(c)) : '_';
    }
    if (out.empty() || std::isdigit(static_cast<unsigned char>(out.front()))) out.insert(0, "_");
    return out;
}

std::string as_name(std::string_view text) {
    std::string out;
    for (const char c : text.substr(0, 64)) {
        out += std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' || c == '-' ? c : '-';
    }
    while (!out.empty() && !std::isalnum(static_cast<unsigned char>(out.front()))) out.erase(0, 1);
    return out.empty() ? "server" : out;
}

const Json* first_of(const Json& entry, std::initializer_list<std::string_view> keys) {
    for (const std::string_view key : keys) {
        if (const Json* found = entry.find(key); found != nullptr && !found->is_null()) return found;
    }
    return nullptr;
}

std::string text_of(const Json* json) {
    if (json == nullptr) return {};
    if (const std::string* text = json->if_string()) return *text;
    if (const bool* value = json->if_bool()) return *value ? "true" : "false";
    return std::string(json->number_text());
}

std::vector<std::string> texts_of(const Json* json) {
    std::vector<std::string> out;
    const JsonArray* list = json == nullptr ? nullptr : json->if_array();
    if (list == nullptr) return out;
    for (const Json& element : *list) out.push_back(text_of(&element));
    return out;
}

/// The conversion of one entry.
class Conversion {
public:
    Conversion(std::string_view name, const Json& entry, const ClientProgram& program, Converted& into)
        : entry_(entry), program_(program), into_(into) {
        server_.name = as_name(name);
        if (server_.name != name) note("is called " + server_.name + " here");
    }

    void run() {
        if (entry_.find("disabled") != nullptr && *entry_.find("disabled") == Json(true))
            return note("is disabled: left out");
        if (entry_.find("enabled") != nullptr && *entry_.find("enabled") == Json(false))
            return note("is disabled: left out");
        take_child();
        take_remote();
        if (server_.command.empty() == server_.url.empty()) {
            return note(server_.url.empty() ? "has no program and no URL (built into its client?): left out"
                                            : "has a program and a URL: left out");
        }
        if (is_gantry()) return note("is Gantry itself: left out");
        take_rest();
        keep();
    }

private:
    void note(const std::string& what) {
        into_.notes.push_back(std::string(program_.title) + ": " + server_.name + " " + what);
    }

    /// An entry written by `gantry connect`.
    bool is_gantry() const {
        const std::string program = server_.command.substr(server_.command.rfind('/') + 1);
        const bool started = program == "gantry" && !server_.args.empty() && server_.args.front() == "stdio";
        const bool served = server_.name == "gantry" &&
                            (server_.url.contains("://127.0.0.1:") || server_.url.contains("://localhost:"));
        return started || served;
    }

    void take_child() {
        const Json* command = first_of(entry_, {"command", "cmd"});
        if (command == nullptr) return;
        const Json* args = first_of(entry_, {"args"});
        const Json* env = first_of(entry_, {"env", "envs", "environment"});
        if (command->is_object()) {  // {path, args, env}
            args = command->find("args");
            if (env == nullptr) env = command->find("env");
            command = command->find("path");
        }
        std::vector<std::string> words = texts_of(command);
        if (words.empty()) words = {text_of(command)};
        server_.command = reference(words.front());
        words.erase(words.begin());
        const std::vector<std::string> more = texts_of(args);
        words.insert(words.end(), more.begin(), more.end());
        take_arguments(words);
        if (env != nullptr && env->is_object()) {
            for (const auto& [name, value] : *env->if_object()) server_.env[name] = env_value(name, text_of(&value));
        }
        for (const std::string& name : texts_of(entry_.find("env_keys"))) server_.env[name] = wanted(name);
        server_.cwd = reference(text_of(entry_.find("cwd")));
    }

    void take_arguments(const std::vector<std::string>& words) {
        std::string option;  // its value comes next, if its name suggests a secret
        for (const std::string& word : words) {
            const auto equals = word.find('=');
            const bool is_option = word.starts_with('-');
            if (is_option && equals != std::string::npos && gateway::sounds_secret(word.substr(0, equals))) {
                server_.args.push_back(word.substr(0, equals + 1) +
                                       hidden(own_name(word.substr(0, equals)), word.substr(equals + 1)));
            } else if (!is_option && (!option.empty() || gateway::looks_random(word))) {
                server_.args.push_back(hidden(own_name(option.empty() ? "argument" : option), word));
            } else {
                server_.args.push_back(reference(word));
            }
            option = is_option && equals == std::string::npos && gateway::sounds_secret(word) ? word : "";
        }
    }

    void take_remote() {
        const Json* url = first_of(entry_, {"httpUrl", "url", "serverUrl", "uri"});
        if (url == nullptr) return;
        server_.url = hide_query(text_of(url));
        const std::string type = text_of(first_of(entry_, {"type", "transport"}));
        if (type == "sse") server_.transport = WireWish::kSse;
        if (type == "http" || type.starts_with("streamable")) server_.transport = WireWish::kStreamableHttp;
        for (const std::string_view key : {"headers", "http_headers"}) {
            const Json* headers = entry_.find(key);
            if (headers == nullptr || !headers->is_object()) continue;
            for (const auto& [name, value] : *headers->if_object())
                server_.headers.emplace_back(name, header_value(name, text_of(&value)));
        }
        if (const Json* named = entry_.find("env_http_headers"); named != nullptr && named->is_object()) {
            for (const auto& [name, value] : *named->if_object())
                server_.headers.emplace_back(name, wanted(text_of(&value)));
        }
        if (const std::string name = text_of(entry_.find("bearer_token_env_var")); !name.empty())
            server_.headers.emplace_back("Authorization", "Bearer " + wanted(name));
    }

    void take_rest() {
        server_.allow = texts_of(first_of(entry_, {"includeTools", "enabled_tools", "tool_filter", "available_tools"}));
        server_.deny = texts_of(first_of(entry_, {"excludeTools", "disabled_tools"}));
        take_startup_time();
        const Json* timeout = first_of(entry_, {"timeout", "tool_timeout_sec"});
        const auto value = timeout == nullptr ? std::nullopt : timeout->as_double();
        if (!value || *value <= 0) return;
        const double scale = entry_.find("tool_timeout_sec") == nullptr && program_.timeout_unit == "ms" ? 1 : 1000;
        server_.timeout = std::chrono::milliseconds(static_cast<std::int64_t>(std::min(*value * scale, 2.5e9)));
    }

    /// The startup timeout of the server.
    void take_startup_time() {
        const Json* seconds = entry_.find("startup_timeout_sec");
        const Json* milliseconds = entry_.find("startup_timeout_ms");
        const Json* given = seconds != nullptr ? seconds : milliseconds;
        const auto value = given == nullptr ? std::nullopt : given->as_double();
        if (!value || *value <= 0) return;
        const double scale = seconds != nullptr ? 1000 : 1;
        server_.connect_timeout = std::chrono::milliseconds(
            std::max<std::int64_t>(1, static_cast<std::int64_t>(std::min(*value * scale, 3.6e6))));
    }

    void keep() {
        const auto same = [this](const McpServerSpec& other) {
            return other.command == server_.command && other.args == server_.args && other.env == server_.env &&
                   other.url == server_.url && other.headers == server_.headers && other.cwd == server_.cwd;
        };
        if (std::ranges::any_of(into_.servers, same)) return note("is the same as one already imported");
        const std::string wished = server_.name;
        for (int n = 2; std::ranges::find(into_.servers, server_.name, &McpServerSpec::name) != into_.servers.end();
             ++n)
            server_.name = wished.substr(0, 60) + "-" + std::to_string(n);
        if (server_.name != wished)
            into_.notes.push_back(std::string(program_.title) + ": '" + wished + "' is taken; imported as '" +
                                  server_.name + "'");
        into_.servers.push_back(std::move(server_));
    }

    std::string own_name(std::string_view part) const {
        part.remove_prefix(std::min(part.find_first_not_of('-'), part.size()));
        return as_variable(server_.name + "_" + std::string(part));
    }
    /// A "${name}" that the user has to give a value.
    std::string wanted(const std::string& name) {
        if (!into_.secrets.contains(name) && std::ranges::find(into_.wanted, name) == into_.wanted.end())
            into_.wanted.push_back(name);
        return "${" + name + "}";
    }
    /// Moves the value to the secrets and returns a reference to it.
    std::string hidden(std::string name, const std::string& value) {
        if (value.empty() || value.contains("${")) return reference(value);
        const std::string wished = name;
        for (int n = 2; into_.secrets.contains(name) && into_.secrets[name] != value; ++n)
            name = wished + "_" + std::to_string(n);
        into_.secrets[name] = value;
        return "${" + name + "}";
    }
    std::string env_value(const std::string& name, const std::string& value) {
        if (!gateway::sounds_secret(name) && !gateway::looks_random(value)) return reference(value);
        return hidden(as_variable(name), value);
    }
    std::string header_value(const std::string& name, const std::string& value) {
        if (!gateway::sounds_secret(name) && !gateway::looks_random(value)) return reference(value);
        const std::size_t start = value.find(' ') + 1;  // "Bearer …"
        return value.substr(0, start) + hidden(own_name(name), value.substr(start));
    }
    /// Replaces query values that look like keys, and a password before the host.
    std::string hide_query(const std::string& url) {
        McpServerSpec probe{.name = server_.name};
        probe.url = url;
        std::string out = reference(url);
        for (const std::string& value : gateway::confidential_values(probe)) {
            if (value.size() < 4 || value.contains("${")) continue;
            if (const auto at = out.find(value); at != std::string::npos)
                out.replace(at, value.size(), hidden(own_name("url_key"), value));
        }
        return out;
    }

    /// Noted once per server and reference.
    void rewritten(const std::string& theirs, const std::string& ours) {
        if (rewritten_.insert(theirs).second) note("refers to " + theirs + ", which is now " + ours);
    }

    /// Translates another program's reference: ${input:api-key} becomes one of our names.
    std::string reference(const std::string& text) {
        std::string out;
        std::string_view rest = text;
        for (auto at = rest.find("${"); at != std::string_view::npos; at = rest.find("${")) {
            const auto end = rest.find('}', at);
            if (end == std::string_view::npos) break;
            const std::string_view inside = rest.substr(at + 2, end - at - 2);
            out.append(rest.substr(0, at));
            if (inside.starts_with("input:")) {
                out += wanted(as_variable(inside.substr(6)));
            } else if (inside.starts_with("workspaceFolder")) {
                out += "${PWD}";
                rewritten("${" + std::string(inside) + "}", "${PWD}, the folder the gateway is started in");
            } else if (inside == "userHome") {
                out += "${HOME}";
                rewritten("${userHome}", "${HOME}");
            } else {
                out.append(rest.substr(at, end + 1 - at));
            }
            rest.remove_prefix(end + 1);
        }
        return out.append(rest);
    }

    const Json& entry_;
    const ClientProgram& program_;
    Converted& into_;
    McpServerSpec server_;
    std::set<std::string> rewritten_;
};

}  // namespace

void convert(const ForeignFile& file, Converted& into) {
    for (const auto& [name, entry] : file.servers) {
        if (entry.is_object()) Conversion(name, entry, *file.program, into).run();
    }
}

}  // namespace gantry::app
