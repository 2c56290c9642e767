#include "app/config/config.hpp"

#include "app/config/approvals.hpp"
#include "app/config/events.hpp"
#include "app/config/references.hpp"
#include "app/config/resilience.hpp"
#include "app/config/section.hpp"
#include "app/config/servers.hpp"
#include "app/config/yaml.hpp"
#include "base/try.hpp"
#include "gateway/secrets/resolver.hpp"

namespace gantry::app {

namespace {

using gateway::OnCollision;

void read_limits(const Node& node, Config& config) {
    Section limits(node);
    limits.read("max_request_bytes", config.max_request_bytes, read_size,
                "Larger requests of clients are refused; over stdio a change counts from the next start.");
    limits.read("max_result_bytes", config.max_result_bytes, read_size,
                {"Default for the servers' `max_result_bytes`.", Reload::kReconnect});
    limits.read("max_connections", config.max_connections, read_count,
                "Client connections; the next one replaces an idle one, or gets 503.");
    limits.read("max_streams", config.max_streams, read_positive,
                {"Event streams on which clients listen; beyond it 503.", Reload::kNextStart});
    limits.read("max_sessions", config.max_sessions, read_positive,
                {"Sessions of legacy clients in memory; the least recently used one is evicted and restored from its "
                 "id.",
                 Reload::kNextStart});
    limits.read("max_unfinished_request_bytes", config.max_unfinished_request_bytes, read_size,
                "All request bodies that have not arrived completely, together; beyond it 503.");
    limits.read("max_queued_bytes", config.max_queued_bytes, read_size,
                {"Bytes queued for each server that does not read them.", Reload::kReconnect});
    limits.read("stall_timeout", config.stall_timeout, read_duration,
                {"How long a server may stay at that bound before its connection is dropped and made again.",
                 Reload::kReconnect});
    limits.read("list_page_size", config.list_page_size, read_positive, "Entries in one page of a list.");
    limits.read("max_list_entries", config.max_list_entries, read_positive,
                {"Tools, prompts, resources and templates read from one server, each; the rest is left out and "
                 "reported.",
                 Reload::kNextStart});
    limits.read("validate_arguments", config.validate_arguments, read_bool,
                "Validate arguments against the tool's schema before they are sent.");
    limits.read("validation_steps", config.validation_steps, read_positive,
                "A call is refused if validating its arguments takes more steps; this many take about a quarter of a "
                "second, off the event loop.");
    limits.read("principal_rate", config.principal_rate, read_rate,
                About("Limit for the calls of each principal; all callers on this machine are one principal.")
                    .by_default("any"));
}

/// The listen address, allowed hosts, and how answers are sent.
void read_listener(Section& top, Config& config) {
    top.read("listen", config.listen, read_listen,
             "Address to listen on; beyond loopback only with `allow_unauthenticated`. A new address is opened before "
             "the old one is closed.");
    top.read("path", config.path, read_path,
             "Base path: `/mcp`, `/mcp/servers/NAME`, `/mcp/groups/NAME`, `/mcp/tools`, `/mcp/summary`. Sessions of "
             "the old path are lost when it changes.");
    top.read("allow_unauthenticated", config.allow_unauthenticated, read_bool,
             About("Permits an address beyond loopback although callers are not authenticated; checked when the "
                   "address is opened.",
                   Reload::kNextStart)
                 .or_with("listen"));
    top.read_list(
        "allowed_hosts", config.allowed_hosts,
        About("Host names that clients may use besides those of this machine; `\"*\"`: any.").by_default("none"));
    top.read_list(
        "allowed_origins", config.allowed_origins,
        About("Browser origins that may call besides those of this machine; `\"*\"`: any.").by_default("none"));
    top.read("stateless", config.stateless, read_bool,
             "Legacy clients get no session: any instance can answer, but the gateway cannot send them questions or "
             "notifications.");
    top.read("json_response", config.json_response, read_bool,
             "Every response is a single JSON body, never an event stream.");
}

void read_catalog(Section& top, Config& config) {
    top.read("instructions", config.instructions, read_text,
             About("Sent to clients before the instructions of the servers.").by_default("none"));
    top.choose<OnCollision>(
        "on_collision", config.on_collision,
        {{"error", OnCollision::kError}, {"suffix", OnCollision::kSuffix}, {"first", OnCollision::kFirst}},
        "What happens to the later of two items with the same public name: `suffix` renames it, `error` and `first` "
        "hide it.");
    top.read("max_tools", config.max_tools, read_count,
             "Tools of all servers together, 0: 100,000; if there are more, the servers with the longest lists are "
             "cut. Prompts, resources and templates are limited separately, to 100,000 each.");
    top.read("demo_tools", config.demo_tools, read_bool, "Adds the built-in demo tools.");
}

void read_secrets(const Node& node, gateway::SecretOptions& secrets) {
    // A list is what an extension's manifest contains: names for its host.
    if (node.shape != nullptr) node.shape->may_be(JsonObject{{"type", "array"}});
    if (node.json.is_array()) return;
    Section section(node);
    std::string env_file, store;
    section.read("env_file", env_file, read_text,
                 About("File with `NAME=VALUE` lines, relative to this file.")
                     .by_default("`.env` beside this file, if there is one"));
    section.read(
        "store", store, read_text,
        About("Folder of the encrypted file of `gantry secrets`.").by_default("`gantry` in the user's data folder"));
    section.read("keyring", secrets.vault.keyring, read_bool, "`false`: the desktop keyring is never used.");
    section.read("environment", secrets.environment, read_bool,
                 "`false`: Gantry's own environment is never used, for any reference.");
    if (!env_file.empty()) secrets.env_file = env_file;
    if (!store.empty()) secrets.vault.folder = store;
}

}  // namespace

void read_config(const Node& root, Config& config) {
    Section top(root, "settings such as `servers:`");
    read_listener(top, config);
    read_catalog(top, config);
    top.read("state_dir", config.state_dir, read_text,
             About("Folder for everything that must survive a restart, created with mode 0700; gateways that share it "
                   "serve each other's sessions.",
                   Reload::kNextStart)
                 .by_default("`$XDG_DATA_HOME/gantry`, else `~/.local/share/gantry`"));
    top.read("timeout", config.timeout, read_duration, {"Default for the servers' `timeout`.", Reload::kReconnect});
    top.read("stop_timeout", config.stop_timeout, read_duration,
             "How long calls and servers may take to finish when the gateway stops, before they are ended by force.");
    top.read("ready_timeout", config.ready_timeout, read_duration,
             {"How long `/ready` answers 503 while starting servers have neither listed their tools nor failed.",
              Reload::kNextStart});
    if (const auto limits = top.find("limits", "Sizes and numbers that protect the gateway.")) {
        read_limits(*limits, config);
    }
    if (const auto secrets = top.find("secrets", "Where secret references are looked up.")) {
        read_secrets(*secrets, config.secrets);
    }
    read_events(top, config);
    // Added by editors beside the settings.
    for (const std::string_view key : {"$schema", "inputs"}) top.ignore(key);
    if (const auto approvals = top.find("approvals", "Calls that need a person's approval.")) {
        read_approvals(*approvals, config.approvals);
    }
    // After everything that sets defaults for servers, wherever it is in the file.
    read_all_servers(top, config);
    if (const auto groups =
            top.find("groups", About("Parts of the catalog with a path of their own.").by_default("none"))) {
        read_groups(*groups, config);
    }
}

Result<std::string> read_config_file(const std::filesystem::path& file, PinnedFiles* files) {
    PinnedFiles once;
    auto content = (files != nullptr ? *files : once).read(file, YamlLimits().max_bytes);
    if (!content) return fail(ErrorCode::kInvalidArgument, file.string() + ": " + content.error().message());
    if (!content->text) return fail(ErrorCode::kNotFound, file.string() + ": there is no such file");
    return *std::move(content->text);
}

Result<Config> parse_config(std::string_view text, const std::string& origin, const gateway::Lookup& lookup) {
    auto document = parse_yaml(text);
    if (!document) {
        const auto& [at, what] = document.error();
        std::string place = origin;
        if (at.line != 0) place += ":" + std::to_string(at.line) + ":" + std::to_string(at.column);
        return fail(ErrorCode::kParse, place + ": " + what);
    }
    Config config;
    if (document->tree.is_null()) return config;
    Faults faults(*document, origin);
    if (lookup) resolve_references(document->tree, lookup, faults);
    check_server_references(document->tree, faults);
    Node root{document->tree, "", "", faults};
    root.record = &config.settings;
    read_config(root, config);
    if (!faults.empty()) return fail(ErrorCode::kInvalidArgument, faults.text());
    return config;
}

namespace {

/// The file's `secrets` section, before any reference is resolved.
gateway::SecretOptions secrets_of(std::string_view text, const std::filesystem::path& file) {
    gateway::SecretOptions secrets;
    if (auto document = parse_yaml(text)) {
        Faults told_later(*document, "");
        resolve_references(document->tree, gateway::environment(), told_later);
        if (const Json* section = document->tree.find("secrets"))
            read_secrets(Node{*section, "", "", told_later}, secrets);
    }
    const std::filesystem::path folder = std::filesystem::absolute(file).parent_path();
    secrets.env_file = folder / (secrets.env_file.empty() ? ".env" : secrets.env_file);
    if (!secrets.vault.folder.empty()) secrets.vault.folder = folder / secrets.vault.folder;
    secrets.base = folder;
    return secrets;
}

/// Pinned before any server runs that could change what they lead to.
void pin_references(const Config& config, PinnedFiles& files) {
    for (const auto& server : config.servers)
        for (const std::string& file : gateway::files_of(server)) files.pin(config.secrets.base / file);
}

}  // namespace

Result<Config> load_config(const std::filesystem::path& file, Redactor* redactor, std::shared_ptr<PinnedFiles> files) {
    GANTRY_TRY(const std::string text, read_config_file(file, files.get()));
    return config_from(text, file, redactor, std::move(files));
}

Result<Config> config_from(std::string_view text, const std::filesystem::path& file, Redactor* redactor,
                           std::shared_ptr<PinnedFiles> files) {
    gateway::SecretOptions secrets = secrets_of(text, file);
    secrets.files = files;
    if (files) files->pin(secrets.env_file);
    gateway::SecretChain chain(secrets);
    gateway::Lookup lookup = chain.lookup();
    if (redactor != nullptr) lookup = gateway::remembered(std::move(lookup), *redactor);
    GANTRY_TRY(Config config, parse_config(text, file.string(), lookup));
    config.secrets = secrets;
    if (files) pin_references(config, *files);
    config.file = file.string();
    return config;
}

}  // namespace gantry::app
