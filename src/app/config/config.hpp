#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/config/setting_record.hpp"
#include "gantry/error.hpp"
#include "gantry/json.hpp"
#include "gateway/events/options.hpp"
#include "gateway/model/approval.hpp"
#include "gateway/model/source_spec.hpp"
#include "gateway/secrets/chain.hpp"

namespace gantry {
class Redactor;
}

namespace gantry::app {

/// The gateway's configuration; docs/configuration.md has every key. The defaults are those of an empty file.
struct Config {
    /// HOST:PORT. Beyond loopback only with allow_unauthenticated.
    std::string listen = "127.0.0.1:8090";
    std::string path = "/mcp";
    std::vector<gateway::McpServerSpec> servers = {};
    std::vector<gateway::GroupSpec> groups = {};
    gateway::OnCollision on_collision = gateway::OnCollision::kSuffix;
    /// Empty: under the user's data folder.
    std::string state_dir = {};
    /// Sent to clients in addition to the servers' own instructions.
    std::optional<std::string> instructions = {};
    /// Legacy clients get no session, so the gateway cannot send them requests or notifications.
    bool stateless = false;
    /// Every answer is a single JSON body; no event streams.
    bool json_response = false;
    /// For servers that set none.
    Duration timeout = seconds(30);
    /// Grace period for calls and servers when the gateway stops.
    Duration stop_timeout = seconds(5);
    /// How long /ready waits for the first answer of servers that are still starting.
    Duration ready_timeout = seconds(60);
    /// Limit on the tools of all servers together; servers that offer the most are cut. 0: 100,000.
    std::size_t max_tools = 0;
    bool allow_unauthenticated = false;
    /// In addition to loopback; "*": any.
    std::vector<std::string> allowed_hosts = {};
    std::vector<std::string> allowed_origins = {};
    /// Built-in sample tools.
    bool demo_tools = false;
    /// Where secret references are looked up.
    gateway::SecretOptions secrets = {};
    /// The file it was read from; empty: none.
    std::string file = {};

    // limits:
    std::size_t max_request_bytes = 4u << 20;
    std::size_t max_result_bytes = 64u << 20;
    std::size_t max_connections = 10'000;
    std::size_t max_streams = 20'000;
    std::size_t max_sessions = 100'000;
    std::size_t max_unfinished_request_bytes = 64u << 20;
    std::size_t max_queued_bytes = 4u << 20;
    Duration stall_timeout = seconds(30);
    std::size_t list_page_size = 1000;
    /// Entries read from each of a server's lists; the rest is dropped.
    std::size_t max_list_entries = 10'000;
    /// Validate arguments against the tools' schemas before calls are sent.
    bool validate_arguments = true;
    /// Steps after which validation is abandoned and the call refused.
    std::uint64_t validation_steps = 10'000'000;
    /// Rate limit per caller, across everything it calls.
    gateway::Rate principal_rate = {};

    /// Recording and telemetry: audit, events, metrics, traces, log.
    gateway::EventsOptions events = {};

    /// In addition to the servers' own annotations and lists.
    gateway::ApprovalOptions approvals = {};

    /// Problems that do not prevent a start, one line each.
    std::vector<std::string> warnings = {};

    /// What the file sets apart from servers, to compare two configurations; empty without a file.
    SettingRecord settings = {};
};

/// Parses YAML or JSON, including the `mcpServers` form of other programs. `origin` names the text in errors. All
/// faults are reported at once, one line each with position, key and what was expected; values are never repeated.
/// References in servers are kept, because they are resolved when connecting; all others are replaced by `lookup`, and
/// an unset one is a fault of the file. Without a lookup they are kept as well.
Result<Config> parse_config(std::string_view text, const std::string& origin, const gateway::Lookup& lookup = {});

/// The same from a file, with references resolved as its `secrets` section says; every secret resolved is registered
/// with `redactor`. Blocks: reads files, and the keyring if anything outside servers refers to it. With `files`, these
/// files and all that servers refer to are pinned: see PinnedFiles.
Result<Config> load_config(const std::filesystem::path& file, Redactor* redactor = nullptr,
                           std::shared_ptr<PinnedFiles> files = nullptr);

/// The same for a text that is, or will be, the content of this file.
Result<Config> config_from(std::string_view text, const std::filesystem::path& file, Redactor* redactor = nullptr,
                           std::shared_ptr<PinnedFiles> files = nullptr);

/// The bytes of a configuration file, at most one more than parse_config accepts.
Result<std::string> read_config_file(const std::filesystem::path& file, PinnedFiles* files = nullptr);

/// JSON Schema (2020-12) of what parse_config accepts syntactically, generated by the code that reads it.
Json config_schema();

}  // namespace gantry::app
