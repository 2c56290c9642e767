#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/config/expand.hpp"
#include "gantry/error.hpp"
#include "gateway/model/source_spec.hpp"

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
    /// Tools beyond are refused; 0: no such limit.
    std::size_t max_tools = 0;
    bool allow_unauthenticated = false;
    /// Besides those of loopback; "*": any.
    std::vector<std::string> allowed_hosts = {};
    std::vector<std::string> allowed_origins = {};
    /// Built-in tools to try things with.
    bool demo_tools = false;

    // limits:
    std::size_t max_request_bytes = 4u << 20;
    std::size_t max_result_bytes = 64u << 20;
    std::size_t max_connections = 10'000;
    std::size_t list_page_size = 1000;
    /// Hold arguments against the tools' schemas before they leave.
    bool validate_arguments = true;

    /// What is odd but no reason to stop, one line each.
    std::vector<std::string> warnings = {};
};

/// YAML or JSON, also the `mcpServers` form of other programs. `origin` is what errors call the text. All that is wrong
/// is told at once, one line each with place, key and what was expected; values are never repeated.
/// References to the environment stay as they are: see expand().
Result<Config> parse_config(std::string_view text, const std::string& origin);

/// The same from a file, with references in `state_dir` resolved.
Result<Config> load_config(const std::filesystem::path& file);

}  // namespace gantry::app
