#include "app/clients/server_text.hpp"

#include <algorithm>
#include <vector>

#include "app/config/values.hpp"
#include "gantry/json.hpp"

namespace gantry::app {
namespace {

std::string list(const std::vector<std::string>& texts) {
    std::string out = "[";
    for (const std::string& text : texts) out.append(out.size() == 1 ? "" : ", ").append(yaml_text(text));
    return out + "]";
}

template <class Pairs>
std::string map(std::string_view key, const Pairs& pairs) {
    if (pairs.empty()) return {};
    std::string out = "    " + std::string(key) + ":\n";
    for (const auto& [name, value] : pairs) out += "      " + yaml_text(name) + ": " + yaml_text(value) + "\n";
    return out;
}

std::string line(std::string_view key, const std::string& value) {
    return "    " + std::string(key) + ": " + value + "\n";
}

}  // namespace

std::string yaml_text(std::string_view text) {
    const bool plain = !text.empty() &&
                       (std::isalpha(static_cast<unsigned char>(text.front())) || text.front() == '/') &&
                       std::ranges::all_of(text, [](char c) {
                           return std::isalnum(static_cast<unsigned char>(c)) || std::string_view("_./-+").contains(c);
                       });
    static constexpr std::string_view kWords[] = {"true", "false", "null", "yes", "no", "on", "off", "y", "n"};
    std::string folded(text);
    std::ranges::transform(folded, folded.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (plain && std::ranges::find(kWords, folded) == std::end(kWords)) return std::string(text);
    return Json(text).dump();
}

std::string server_text(const gateway::McpServerSpec& server) {
    using gateway::WireWish;
    const gateway::McpServerSpec usual;
    std::string out = "  - name: " + yaml_text(server.name) + "\n";
    if (server.is_child()) {
        out += line("command", yaml_text(server.command));
        if (!server.args.empty()) out += line("args", list(server.args));
        out += map("env", server.env);
        if (!server.cwd.empty()) out += line("cwd", yaml_text(server.cwd));
    } else {
        out += line("url", yaml_text(server.url));
        if (server.transport != WireWish::kAuto)
            out += line("transport", server.transport == WireWish::kSse ? "sse" : "streamable-http");
        out += map("headers", server.headers);
    }
    if (!server.allow.empty()) out += line("allow", list(server.allow));
    if (!server.deny.empty()) out += line("deny", list(server.deny));
    if (server.connect_timeout)
        out += line("connect_timeout", *read_duration.show(*server.connect_timeout).if_string());
    if (server.timeout != usual.timeout) out += line("timeout", *read_duration.show(server.timeout).if_string());
    return out;
}

}  // namespace gantry::app
