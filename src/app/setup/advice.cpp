#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "app/setup/doctor.hpp"

namespace gantry::app {
namespace {

bool says(std::string_view trouble, std::string_view what) {
    const auto same = [](char a, char b) { return std::tolower(a) == std::tolower(b); };
    return !std::ranges::search(trouble, what, same).empty();
}

/// "A, keyring:B" of "not set: A, keyring:B".
std::string missing_in(std::string_view trouble) {
    constexpr std::string_view kMark = "not set: ";
    const auto at = trouble.find(kMark);
    return at == std::string_view::npos ? std::string() : std::string(trouble.substr(at + kMark.size()));
}

std::string set_missing(const std::string& missing) {
    std::string out;
    std::istringstream names(missing);
    for (std::string name; std::getline(names, name, ',');) {
        name.erase(0, name.find_first_not_of(' '));
        if (name.starts_with("file:")) {
            out.append(out.empty() ? "" : "; ").append("make the file ").append(name.substr(5));
            continue;
        }
        const bool env = name.starts_with("env:");
        const auto colon = name.find(':');
        const std::string bare = colon == std::string::npos ? name : name.substr(colon + 1);
        out.append(out.empty() ? "" : "; ");
        out.append(env ? "put " + bare + "=… into .env or the environment" : "gantry secrets set " + bare);
    }
    return out;
}

bool on_path(const std::string& program, const gateway::McpServerSpec& server) {
    const auto own = server.env.find("PATH");
    const char* inherited = std::getenv("PATH");
    const bool given = own != server.env.end() && !own->second.contains("${");
    std::istringstream folders(given ? own->second : inherited == nullptr ? "" : inherited);
    for (std::string folder; std::getline(folders, folder, ':');) {
        if (!folder.empty() && ::access((std::filesystem::path(folder) / program).c_str(), X_OK) == 0) return true;
    }
    return false;
}

std::string child_advice(const gateway::McpServerSpec& server, std::string_view trouble) {
    const std::string& program = server.command;
    if (!program.contains("${")) {
        if (program.contains('/') && ::access(program.c_str(), X_OK) != 0)
            return program + " does not exist or is not executable: correct command";
        if (!program.contains('/') && !on_path(program, server))
            return program + " is not on PATH: install it, or give its whole path as command";
    }
    if (!server.cwd.empty() && !server.cwd.contains("${") && ::access(server.cwd.c_str(), X_OK) != 0)
        return server.cwd + " is not an accessible folder: correct cwd";
    if (says(trouble, "isolation: ") || says(trouble, "cannot isolate"))
        return "install what is missing on this machine, or set isolation: standard for this server";
    if (says(trouble, "in its isolation")) return "list the program's folder under isolation.read";
    if (says(trouble, "ended") && server.isolation.level == gateway::IsolationLevel::kStrict)
        return "it ends by itself: what it says on stderr is above; if it lacks a file or the network, see isolation";
    if (says(trouble, "ended")) return "it ends by itself: what it says on stderr is above; run it by hand to see more";
    if (server.is_http_child()) {
        if (says(trouble, "did not listen")) return "have it listen on the port in PORT, or pass {port} in args or env";
        if (says(trouble, "ready_when")) return "correct ready_when, or raise connect_timeout";
        if (says(trouble, "404") || says(trouble, "405") || says(trouble, "event stream"))
            return "correct path, or choose the other of transport: http and sse";
        return "run it by hand and see what it prints: PORT=8000 " + program + " …";
    }
    if (says(trouble, "time")) return "it does not answer: check that it speaks MCP on standard input and output";
    return "run it by hand: gantry inspect --stderr -- " + program + " …";
}

std::string remote_advice(std::string_view trouble) {
    struct Row {
        std::string_view says, advice;
    };
    static constexpr std::array kRows = {
        Row{"refused", "nothing listens there: start the server, or correct url"},
        Row{"resolve", "its host is not known: correct url, or check the name service"},
        Row{"unauthorized",
            "it requires credentials: headers: {Authorization: \"Bearer ${NAME}\"}, gantry secrets set NAME"},
        Row{"401", "it requires credentials: headers: {Authorization: \"Bearer ${NAME}\"}, gantry secrets set NAME"},
        Row{"403", "it refuses these credentials: check what they are allowed to do"},
        Row{"404", "there is no MCP server at this path: correct url (often it ends in /mcp or /sse)"},
        Row{"405", "this path takes no messages: correct url, or set transport: sse"},
        Row{"certificate", "its certificate is not trusted: check the host name and the machine's roots"},
        Row{"time", "it does not answer: check that it runs and that no firewall is in between"},
    };
    const auto* row = std::ranges::find_if(kRows, [&](const Row& each) { return says(trouble, each.says); });
    return std::string(row == kRows.end() ? "see its responses: gantry inspect --trace --url …" : row->advice);
}

}  // namespace

std::string advice_for(const gateway::McpServerSpec& server, std::string_view trouble) {
    if (const std::string missing = missing_in(trouble); !missing.empty()) return set_missing(missing);
    return server.is_child() ? child_advice(server, trouble) : remote_advice(trouble);
}

}  // namespace gantry::app
