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
    limits.read("max_request_bytes", config.max_request_bytes, read_size, "Larger requests of clients are refused.");
    limits.read("max_result_bytes", config.max_result_bytes, read_size,
                "Larger results are refused, for servers that do not say otherwise.");
    limits.read("max_connections", config.max_connections, read_count,
                "Connections of clients at once; the next takes the place of an idle one, or gets 503.");
    limits.read("max_streams", config.max_streams, read_positive,
                "Event streams that clients keep open to listen, all together; beyond it 503.");
    limits.read("max_sessions", config.max_sessions, read_positive,
                "Sessions of legacy clients held in memory; the least recently used is forgotten and comes back by its "
                "id.");
    limits.read("max_unfinished_request_bytes", config.max_unfinished_request_bytes, read_size,
                "Memory for all request bodies that have not arrived completely; beyond it the stalest is dropped, or "
                "the newest gets 503.");
    limits.read("max_queued_bytes", config.max_queued_bytes, read_size,
                "Bytes queued for each server that does not read them; beyond it calls fail at once and the server is "
                "not read either.");
    limits.read("stall_timeout", config.stall_timeout, read_duration,
                "How long a server may stay at max_queued_bytes before its connection is dropped and made again.");
    limits.read("list_page_size", config.list_page_size, read_positive, "Entries in one page of a list.");
    limits.read("max_list_entries", config.max_list_entries, read_positive,
                "Tools, prompts, resources and templates read of one server, each; the rest is left out and reported.");
    limits.read("validate_arguments", config.validate_arguments, read_bool,
                "Hold arguments against the tools' schemas before they leave.");
    limits.read("validation_steps", config.validation_steps, read_positive,
                "A call is refused when validating its arguments takes more steps; 10,000,000 are about a quarter of a "
                "second, on a thread of their own.");
    limits.read("principal_rate", config.principal_rate, read_rate,
                "How often each caller may call, whatever it calls; without this: any number.");
}

/// The listen address, allowed hosts, and how answers are sent.
void read_listener(Section& top, Config& config) {
    top.read("listen", config.listen, read_listen,
             "Where to listen: HOST:PORT. Beyond 127.0.0.1 only with allow_unauthenticated.");
    top.read("path", config.path, read_path,
             "Under which path: /mcp, /mcp/servers/NAME, /mcp/groups/NAME, /mcp/tools.");
    top.read("allow_unauthenticated", config.allow_unauthenticated, read_bool,
             "Listen beyond this machine although nobody who calls is authenticated.");
    top.read_list("allowed_hosts", config.allowed_hosts,
                  "Host names clients may use besides those of this machine; \"*\": any.");
    top.read_list("allowed_origins", config.allowed_origins,
                  "Browser origins besides those of this machine; \"*\": any.");
    top.read("stateless", config.stateless, read_bool,
             "Legacy clients without sessions: any instance answers, but nothing can be asked or told unasked.");
    top.read("json_response", config.json_response, read_bool, "Every answer is one JSON body, never an event stream.");
}

void read_catalog(Section& top, Config& config) {
    top.read("instructions", config.instructions, read_text,
             "Told to clients in front of what the servers say about themselves.");
    top.choose<OnCollision>(
        "on_collision", config.on_collision,
        {{"error", OnCollision::kError}, {"suffix", OnCollision::kSuffix}, {"first", OnCollision::kFirst}},
        "Of two things with one public name, the later one: error and first hide it, suffix gives it another name.");
    top.read("max_tools", config.max_tools, read_count,
             "Tools of all servers together; 0: 100,000. Servers that offer the most are cut, small ones never.");
    top.read("demo_tools", config.demo_tools, read_bool, "Built-in tools to try things with.");
}

void read_secrets(const Node& node, gateway::SecretOptions& secrets) {
    // A list is what an extension's manifest contains: names for its host.
    if (node.shape != nullptr) node.shape->may_be(JsonObject{{"type", "array"}});
    if (node.json.is_array()) return;
    Section section(node);
    std::string env_file, store;
    section.read("env_file", env_file, read_text,
                 "File with NAME=VALUE lines, relative to this one; default: .env beside it, where there is one.");
    section.read("store", store, read_text,
                 "Folder of the encrypted file of `gantry secrets`; default: gantry under the user's data folder.");
    section.read("keyring", secrets.vault.keyring, read_bool, "false: the desktop's keyring is never asked.");
    section.read("environment", secrets.environment, read_bool,
                 "false: references lead to what was stored and to the env file, never to Gantry's own environment.");
    if (!env_file.empty()) secrets.env_file = env_file;
    if (!store.empty()) secrets.vault.folder = store;
}

}  // namespace

void read_config(const Node& root, Config& config) {
    Section top(root, "settings such as `servers:`");
    read_listener(top, config);
    read_catalog(top, config);
    top.read("state_dir", config.state_dir, read_text,
             "Folder for keys, given names and ended sessions; default: gantry under the user's data folder.");
    top.read("timeout", config.timeout, read_duration,
             "How long a call may show no sign of life, for servers that do not say otherwise.");
    top.read("stop_timeout", config.stop_timeout, read_duration,
             "How long calls and servers may take to finish when the gateway stops; then they are ended by force.");
    top.read("ready_timeout", config.ready_timeout, read_duration,
             "How long /ready answers 503 while servers that are starting have neither listed their tools nor failed.");
    if (const auto limits = top.find("limits", "Sizes and numbers that protect the gateway.")) {
        read_limits(*limits, config);
    }
    if (const auto secrets = top.find("secrets", "Where ${NAME} leads besides the environment.")) {
        read_secrets(*secrets, config.secrets);
    }
    read_events(top, config);
    // Added by editors beside the settings.
    for (const std::string_view key : {"$schema", "inputs"}) top.ignore(key);
    if (const auto approvals = top.find("approvals", "Calls a person has to agree to.")) {
        read_approvals(*approvals, config.approvals);
    }
    // After everything that sets defaults for servers, wherever it is in the file.
    read_all_servers(top, config);
    if (const auto groups = top.find("groups", "Parts of the catalog under /mcp/groups/NAME.")) {
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
    read_config(Node{document->tree, "", "", faults}, config);
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
