#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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

/// What the gateway is told by its file; docs/configuration.md has every key. Defaults are those of an empty file.
struct Config {
    /// HOST:PORT. Beyond loopback only with allow_unauthenticated.
    std::string listen = "127.0.0.1:8090";
    std::string path = "/mcp";
    std::vector<gateway::McpServerSpec> servers = {};
    std::vector<gateway::GroupSpec> groups = {};
    gateway::OnCollision on_collision = gateway::OnCollision::kSuffix;
    /// Empty: under the user's data folder.
    std::string state_dir = {};
    /// Told to clients beside what the servers say.
    std::optional<std::string> instructions = {};
    /// Legacy clients without sessions: nothing can be asked or told unasked.
    bool stateless = false;
    /// Every answer one JSON body, no event streams.
    bool json_response = false;
    /// For servers that do not say otherwise.
    Duration timeout = seconds(30);
    /// What calls and servers may take to end by themselves when the gateway stops.
    Duration stop_timeout = seconds(5);
    /// How long /ready waits for the first answer of servers that are still starting.
    Duration ready_timeout = seconds(60);
    /// Tools of all servers together; servers that offer the most are cut. 0: 100,000.
    std::size_t max_tools = 0;
    bool allow_unauthenticated = false;
    /// Besides those of loopback; "*": any.
    std::vector<std::string> allowed_hosts = {};
    std::vector<std::string> allowed_origins = {};
    /// Built-in tools to try things with.
    bool demo_tools = false;
    /// Where references lead.
    gateway::SecretOptions secrets = {};
    /// Where it was read from; empty: from no file.
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
    /// Entries of each of a server's lists that are read; the rest is left out.
    std::size_t max_list_entries = 10'000;
    /// Hold arguments against the tools' schemas before they leave.
    bool validate_arguments = true;
    /// Steps after which validating arguments is given up and the call refused.
    std::uint64_t validation_steps = 10'000'000;
    /// How often each caller may call, whatever it calls.
    gateway::Rate principal_rate = {};

    /// What is recorded, counted and told: audit, events, metrics, traces, log.
    gateway::EventsOptions events = {};

    /// Besides what servers say about their own tools.
    gateway::ApprovalOptions approvals = {};

    /// What is odd but no reason to stop, one line each.
    std::vector<std::string> warnings = {};
};

/// YAML or JSON, also the `mcpServers` form of other programs. `origin` is what errors call the text. All that is wrong
/// is told at once, one line each with place, key and what was expected; values are never repeated.
/// References in servers stay as they are, for they are resolved when connecting; all others are replaced by `lookup`,
/// and what is not set is a fault of the file. Without a lookup they stay too.
Result<Config> parse_config(std::string_view text, const std::string& origin, const gateway::Lookup& lookup = {});

/// The same from a file, with references resolved as its `secrets` say; `redactor` hears of every secret that was.
/// Blocks: files, and the keyring where something outside servers refers to it. With `files` they and all that servers
/// refer to are pinned: see PinnedFiles.
Result<Config> load_config(const std::filesystem::path& file, Redactor* redactor = nullptr,
                           std::shared_ptr<PinnedFiles> files = nullptr);

/// The same for a text that stands in this file, or is to.
Result<Config> config_from(std::string_view text, const std::filesystem::path& file, Redactor* redactor = nullptr,
                           std::shared_ptr<PinnedFiles> files = nullptr);

/// The bytes of a configuration file, at most one more than parse_config takes.
Result<std::string> read_config_file(const std::filesystem::path& file, PinnedFiles* files = nullptr);

/// JSON Schema (2020-12) of what parse_config takes by its form, told by the code that reads it.
Json config_schema();

}  // namespace gantry::app
