#include <algorithm>
#include <cctype>

#include "app/config/isolation.hpp"
#include "app/config/resilience.hpp"
#include "app/config/servers.hpp"
#include "gateway/policy/glob.hpp"
#include "gateway/secrets/confidential.hpp"

namespace gantry::app {

namespace {

using gateway::EraWish;
using gateway::McpServerSpec;
using gateway::Sharing;
using gateway::WireWish;

bool same_word(std::string_view a, std::string_view b) {
    return std::ranges::equal(a, b, [](char x, char y) { return std::tolower(x) == std::tolower(y); });
}

/// Headers that the gateway sets itself for every request.
bool is_reserved_header(std::string_view name) {
    static constexpr std::string_view kReserved[] = {"content-length", "transfer-encoding", "connection",
                                                     "host",           "mcp-session-id",    "mcp-protocol-version",
                                                     "mcp-method",     "mcp-name"};
    return std::ranges::any_of(kReserved, [name](std::string_view reserved) { return same_word(name, reserved); });
}
bool is_header_name(std::string_view name) {
    return !name.empty() && std::ranges::all_of(name, [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) || std::string_view("!#$%&'*+-.^_`|~").contains(c);
    });
}

/// A program, alone or with its arguments in one list.
Setting<std::vector<std::string>> parse_command(const Json& json) {
    auto words = read_texts(json.is_array() ? json : Json(JsonArray{json}));
    if (!words || words->empty() || words->front().empty()) return std::unexpected("expected a program");
    return words;
}
constinit const Kind<std::vector<std::string>> kCommand{
    &parse_command,
    [] {
        const Json text = JsonObject{{"type", JsonArray{"string", "number", "boolean"}}, {"minLength", 1}};
        return Json(JsonObject{{"anyOf", JsonArray{text, JsonObject{{"type", "array"},
                                                                    {"prefixItems", JsonArray{text}},
                                                                    {"items", read_text.schema()},
                                                                    {"minItems", 1}}}}});
    },
    [](const std::vector<std::string>&) { return Json(); }, "text or list"};

Setting<std::optional<std::string>> parse_prefix(const Json& json) {
    auto text = read_text(json);
    if (!text) return std::unexpected("expected a text, or none");
    if (*text == "auto") return std::nullopt;
    return *text == "none" ? std::string() : *std::move(text);
}
constinit const Kind<std::optional<std::string>> kPrefix{
    &parse_prefix, [] { return read_text.schema(); }, [](const std::optional<std::string>&) { return Json("auto"); }};

void read_child(Section& section, McpServerSpec& server) {
    section.alias("command", "cmd");
    section.alias("env", "envs");
    std::vector<std::string> words;
    section.read("command", words, kCommand, "The program to start, without a shell; a list is program and arguments.");
    if (!words.empty()) {
        server.command = words.front();
        server.args.assign(words.begin() + 1, words.end());
    }
    std::vector<std::string> more;
    section.read_list("args", more, About("Arguments of the program.").by_default("none"));
    server.args.insert(server.args.end(), more.begin(), more.end());
    section.read_map(
        "env", "^[^=]+$",
        [&server](const std::string& name, std::string value) -> std::string_view {
            if (name.empty() || name.contains('=') || name.contains('\0')) return "a variable's name has no '='";
            server.env.emplace(name, std::move(value));
            return {};
        },
        About("Environment of the program, in addition to what Gantry always passes.").by_default("none"));
    section.read("cwd", server.cwd, read_text,
                 About("Working directory of the program.")
                     .by_default("Gantry's own folder; with `strict` isolation the server's home"));
    read_isolation(section, server.isolation);
}

void read_remote(Section& section, McpServerSpec& server) {
    for (const std::string_view other : {"serverUrl", "httpUrl", "uri"}) section.alias("url", other);
    section.read("url", server.url, read_url, "Where the server is reached.");
    section.alias("headers", "http_headers");
    section.read_map(
        "headers", "^[A-Za-z0-9!#$%&'*+.^_`|~-]+$",
        [&server](const std::string& name, std::string value) -> std::string_view {
            if (!is_header_name(name)) return "a header's name is letters, digits and '-'";
            if (is_reserved_header(name)) return "this header is set by the gateway itself";
            if (value.find_first_of("\r\n") != std::string::npos) return "a header's value is one line";
            server.headers.emplace_back(name, std::move(value));
            return {};
        },
        About("HTTP headers sent to the server.").by_default("none"));
}

enum class WireWord : std::uint8_t { kAuto, kHttp, kSse, kStdio };
/// The spellings of the two transports over HTTP.
constexpr std::string_view kHttpWords[] = {"http", "streamable-http", "streamable_http", "streamableHttp", "sse"};

/// What follows the port in the URL of a server that Gantry starts.
Setting<std::string> parse_endpoint(const Json& json) {
    const std::string* text = json.if_string();
    const bool fits = text != nullptr && text->starts_with('/') && !text->starts_with("//") &&
                      std::ranges::all_of(*text, [](unsigned char c) { return c > ' ' && c < 0x7f && c != '#'; });
    if (!fits) return std::unexpected("expected a path such as /mcp");
    return *text;
}
constinit const Kind<std::string> kEndpoint{
    &parse_endpoint, [] { return Json(JsonObject{{"type", "string"}, {"pattern", "^/([!\"$-.0-~][!\"$-~]*)?$"}}); },
    [](const std::string& path) { return Json(path); }};

void read_transport(Section& section, McpServerSpec& server) {
    auto word = WireWord::kAuto;
    section.alias("transport", "type");
    section.choose<WireWord>(
        "transport", word,
        {{"auto", WireWord::kAuto},
         {"stdio", WireWord::kStdio},
         {"http", WireWord::kHttp},
         {"streamable-http", WireWord::kHttp},
         {"streamable_http", WireWord::kHttp},
         {"streamableHttp", WireWord::kHttp},
         {"sse", WireWord::kSse}},
        "`http` is Streamable HTTP, `sse` is HTTP+SSE; `auto` tries both for a URL, and is `stdio` "
        "for a command. A command with `http` or `sse` is started and told a port.");
    if (word == WireWord::kHttp) server.transport = WireWish::kStreamableHttp;
    if (word == WireWord::kSse) server.transport = WireWish::kSse;
    const auto node = section.find("transport");
    if (node && word == WireWord::kStdio && !section.has("command")) node->refuse("stdio needs a command");
    section.read("path", server.path, kEndpoint,
                 About("Path of the endpoint of a command that serves HTTP.").by_default("`/mcp`; with `sse` `/sse`"));
    section.read("ready_when", server.ready_when, read_text,
                 About("Pattern in a line of its output that says that a command is ready to serve HTTP.")
                     .by_default("it is ready once it listens"));
}

/// Keys that only some ways to reach a server have.
void check_reach(Section& section, const McpServerSpec& server) {
    const Json over_http = section.is_one_of("transport", kHttpWords);
    const bool http = server.transport != WireWish::kAuto;
    for (const std::string_view key : {"args", "env", "cwd", "isolation"})
        section.only_with(key, "command", "only for a server with a command");
    section.only_when("headers", section.has("url") || http,
                      JsonObject{{"anyOf", JsonArray{section.present("url"), over_http}}},
                      "only for a server with a url, or for a command with transport: http or sse");
    for (const std::string_view key : {"path", "ready_when"}) {
        section.only_when(key, section.has("command") && http,
                          JsonObject{{"allOf", JsonArray{section.present("command"), over_http}}},
                          "only for a command with transport: http or sse");
    }
}

void read_catalog(Section& section, McpServerSpec& server) {
    const auto live = section.keys_apply(Reload::kAtOnce);
    section.read("prefix", server.prefix, kPrefix,
                 "In front of its public tool names: `auto` (the server's name), `none`, or the given text.");
    for (const std::string_view other : {"tool_filter", "enabled_tools", "includeTools"}) section.alias("allow", other);
    section.read_patterns("allow", server.allow,
                          About("What is offered, by the server's own names.").by_default("everything"));
    for (const std::string_view other : {"disabled_tools", "excludeTools"}) section.alias("deny", other);
    section.read_patterns(
        "deny", server.deny,
        About("What is not offered, by the server's own names; wins over `allow`.").by_default("none"));
    section.read("cache_tools", server.cache_tools, read_bool,
                 About("Keep what the server offers across restarts, and list it while the server is starting or down.",
                       Reload::kReconnect)
                     .by_default("`true` for a lazy server, else `false`"));
}

/// Names of tools, as a list or in the longer form of agent runtimes: {tool_names: [...]}.
void read_tool_names(Section& section, std::string_view key, std::vector<std::string>& out, const About& about) {
    const auto node = section.find(key, about);
    if (!node) return;
    if (node->shape != nullptr || node->json.is_object()) {
        Section longer(*node);
        longer.read_patterns("tool_names", out, About("The same list, as agent runtimes write it.").by_default("none"));
        longer.require("tool_names", "needs tool_names");
    }
    if (!node->json.is_object() || node->shape != nullptr) section.read_patterns(key, out, about);
}

void read_approval(Section& section, McpServerSpec& server) {
    const auto node = section.find(
        "require_approval",
        About("Tools that need a person's approval before each call.", Reload::kAtOnce).by_default("none"));
    if (!node) return;
    if (node->shape != nullptr) node->shape->may_be_word({"always", "never"});
    if (const std::string* word = node->json.if_string()) {
        if (*word != "always" && *word != "never") {
            return node->refuse("expected always, never, or a map with lists of these names");
        }
        (*word == "always" ? server.require_approval.always : server.require_approval.never) = {"*"};
        return;
    }
    Section lists(*node);
    read_tool_names(lists, "always", server.require_approval.always,
                    About("Tools that need approval, by the server's own names.").by_default("none"));
    read_tool_names(lists, "never", server.require_approval.never,
                    About("Tools that need none, by the server's own names.").by_default("none"));
}

void read_life(Section& section, McpServerSpec& server) {
    section.read(
        "timeout", server.timeout, read_duration,
        About("How long a call may show no sign of life; progress restarts it.").by_default("the top-level `timeout`"));
    server.total_timeout = std::max(server.total_timeout, server.timeout);
    section.read("total_timeout", server.total_timeout, read_duration,
                 About("How long a call may take in any case.").by_default("`10m`, or `timeout` if that is longer"));
    section.choose<EraWish>("era", server.era,
                            {{"auto", EraWish::kAuto}, {"legacy", EraWish::kLegacy}, {"modern", EraWish::kModern}},
                            "Which MCP the server speaks: `legacy` with a handshake, `modern` is 2026-07-28; `auto` "
                            "probes.");
    section.choose<Sharing>("sharing", server.sharing,
                            {{"auto", Sharing::kAuto},
                             {"shared", Sharing::kShared},
                             {"per-principal", Sharing::kPerPrincipal},
                             {"per-client", Sharing::kPerClient},
                             {"per-call", Sharing::kPerCall},
                             {"singleton", Sharing::kShared},
                             {"transient", Sharing::kPerCall}},
                            "Who shares a connection to the server.");
    section.read("max_lanes", server.max_lanes, read_positive,
                 "Connections at most, per principal and capability set.");
    section.read("idle_close", server.idle_close, read_duration,
                 "An unused connection is closed after this time; the next call opens a new one.");
    section.read("max_result_bytes", server.max_result_bytes, read_size,
                 About("Larger results are refused.").by_default("`limits.max_result_bytes`"));
    section.read("strict_json", server.strict_json, read_bool,
                 "`true`: answers with lone surrogates are refused instead of repaired with U+FFFD.");
}

bool is_switched_off(Section& section) {
    bool disabled = false;
    bool enabled = true;
    const auto live = section.keys_apply(Reload::kAtOnce);
    section.read("disabled", disabled, read_bool, "`true`: the server is ignored.");
    section.read("enabled", enabled, read_bool, "`false`: the server is ignored.");
    return disabled || !enabled;
}

/// The server's own name; in a map of names it is only a title.
void read_own_name(Section& section, const std::string* given_name, McpServerSpec& server) {
    section.alias("name", "alias");
    if (given_name != nullptr) {
        server.name = *given_name;
        section.ignore("name");
        return;
    }
    section.read("name", server.name, read_name,
                 About("1 to 64 letters, digits, `_`, `-` or `.`; part of URLs and tool names. A new name is a new "
                       "server.",
                       Reload::kAtOnce)
                     .by_default("required in a list"));
    section.require("name", "needs a name");
}

/// A server's tools are known only while it runs, but a pattern that can select nothing is known now.
void warn_of_denied_patterns(const McpServerSpec& server, std::vector<std::string>& warnings) {
    for (const std::string& allowed : server.allow) {
        const auto denied = std::ranges::find_if(server.deny, [&allowed](const std::string& pattern) {
            const bool plain = allowed.find_first_of("*?") == std::string::npos;
            return pattern == allowed || pattern == "*" || (plain && gateway::glob_match(pattern, allowed));
        });
        if (denied == server.deny.end()) continue;
        warnings.push_back("server '" + server.name + "': allow pattern '" + allowed +
                           "' has no effect, since deny pattern '" + *denied + "' covers it");
    }
}

/// Command lines are visible to every user of this machine; secrets belong in `env`.
void warn_of_secrets_in_arguments(const McpServerSpec& server, std::vector<std::string>& warnings) {
    using gateway::Reference;
    std::string secret;
    const gateway::Lookup look = [&secret](const Reference& reference) -> Result<std::optional<std::string>> {
        const bool stored =
            reference.place == Reference::Place::kKeyring || reference.place == Reference::Place::kSecrets;
        if (stored || gateway::sounds_secret(reference.name)) secret = reference.text();
        return std::optional<std::string>("");
    };
    for (const std::string& argument : server.args) {
        auto expanded = gateway::expand(argument, look);
        static_cast<void>(expanded);  // the expanded value is not needed here
    }
    if (!secret.empty())
        warnings.push_back("server '" + server.name + "': ${" + secret +
                           "} is in its arguments, which other users of this machine can read; pass it in env");
}

}  // namespace

void read_server(const Node& node, const std::string* given_name, Config& config) {
    McpServerSpec server;
    server.timeout = config.timeout;
    server.max_result_bytes = config.max_result_bytes;
    server.max_queued_bytes = config.max_queued_bytes;
    server.stall_timeout = config.stall_timeout;
    bool off = false;
    {
        Section section(node);
        if (!node.json.is_object()) return;
        read_own_name(section, given_name, server);
        read_child(section, server);
        read_remote(section, server);
        read_transport(section, server);
        read_catalog(section, server);
        read_approval(section, server);
        read_resilience(section, server);
        read_life(section, server);
        off = is_switched_off(section);
        for (const std::string_view key :
             {"description", "icon", "alwaysAllow", "autoApprove", "trust", "gallery", "source", "settings"}) {
            section.ignore(key);
        }
        if (section.require_one("command", "url", "needs a command (a program to start) or a url",
                                "has both a command and a url; a server is one or the other")) {
            check_reach(section, server);
        }
    }
    const auto same_name = [&](const McpServerSpec& other) { return other.name == server.name; };
    if (!server.name.empty() && std::ranges::any_of(config.servers, same_name)) {
        node.refuse("there is already a server '" + server.name + "'");
        return;
    }
    if (off) {
        config.warnings.push_back("server '" + server.name + "' is disabled");
        return;
    }
    if (node.shape != nullptr) return;
    warn_of_secrets_in_arguments(server, config.warnings);
    warn_of_denied_patterns(server, config.warnings);
    config.servers.push_back(std::move(server));
}

}  // namespace gantry::app
