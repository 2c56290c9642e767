#include "app/clients/server_text.hpp"

#include <vector>

#include "app/config/render_yaml.hpp"
#include "app/config/values.hpp"
#include "gantry/json.hpp"

namespace gantry::app {
namespace {

std::string list(const std::vector<std::string>& texts) {
    std::string out = "[";
    for (const std::string& text : texts) out.append(out.size() == 1 ? "" : ", ").append(yaml_scalar(text));
    return out + "]";
}

template <class Pairs>
std::string map(std::string_view key, const Pairs& pairs) {
    if (pairs.empty()) return {};
    std::string out = "    " + std::string(key) + ":\n";
    for (const auto& [name, value] : pairs) out += "      " + yaml_scalar(name) + ": " + yaml_scalar(value) + "\n";
    return out;
}

std::string line(std::string_view key, const std::string& value) {
    return "    " + std::string(key) + ": " + value + "\n";
}

}  // namespace

std::string server_text(const gateway::McpServerSpec& server) {
    using gateway::WireWish;
    const gateway::McpServerSpec usual;
    std::string out = "  - name: " + yaml_scalar(server.name) + "\n";
    if (server.is_child()) {
        out += line("command", yaml_scalar(server.command));
        if (!server.args.empty()) out += line("args", list(server.args));
        out += map("env", server.env);
        if (!server.cwd.empty()) out += line("cwd", yaml_scalar(server.cwd));
    } else {
        out += line("url", yaml_scalar(server.url));
    }
    if (server.transport != WireWish::kAuto)
        out += line("transport", server.transport == WireWish::kSse ? "sse" : "streamable-http");
    if (!server.path.empty()) out += line("path", yaml_scalar(server.path));
    if (!server.ready_when.empty()) out += line("ready_when", yaml_scalar(server.ready_when));
    out += map("headers", server.headers);
    if (!server.allow.empty()) out += line("allow", list(server.allow));
    if (!server.deny.empty()) out += line("deny", list(server.deny));
    if (server.connect_timeout)
        out += line("connect_timeout", *read_duration.show(*server.connect_timeout).if_string());
    if (server.timeout != usual.timeout) out += line("timeout", *read_duration.show(server.timeout).if_string());
    return out;
}

}  // namespace gantry::app
