#include "app/config/config.hpp"

#include <fstream>

#include "app/config/section.hpp"
#include "app/config/servers.hpp"
#include "app/config/yaml.hpp"
#include "base/try.hpp"

namespace gantry::app {

namespace {

using gateway::OnCollision;

void read_limits(const Node& node, Config& config) {
    Section limits(node);
    limits.read("max_request_bytes", config.max_request_bytes, read_size);
    limits.read("max_result_bytes", config.max_result_bytes, read_size);
    limits.read("max_connections", config.max_connections, read_count);
    limits.read("list_page_size", config.list_page_size, read_count);
    if (const auto size = limits.find("list_page_size"); size && config.list_page_size == 0) size->refuse("at least 1");
    limits.read("validate_arguments", config.validate_arguments, read_bool);
}

void read_all(const Node& root, Config& config) {
    Section top(root, "settings such as `servers:`");
    top.read("listen", config.listen, read_listen);
    top.read("path", config.path, read_path);
    top.read("state_dir", config.state_dir, read_text);
    top.read("instructions", config.instructions, read_text);
    top.choose<OnCollision>(
        "on_collision", config.on_collision,
        {{"error", OnCollision::kError}, {"suffix", OnCollision::kSuffix}, {"first", OnCollision::kFirst}});
    top.read("stateless", config.stateless, read_bool);
    top.read("json_response", config.json_response, read_bool);
    top.read("timeout", config.timeout, read_duration);
    top.read("max_tools", config.max_tools, read_count);
    top.read("allow_unauthenticated", config.allow_unauthenticated, read_bool);
    top.read_list("allowed_hosts", config.allowed_hosts);
    top.read_list("allowed_origins", config.allowed_origins);
    top.read("demo_tools", config.demo_tools, read_bool);
    if (const auto limits = top.find("limits")) read_limits(*limits, config);
    // After what gives servers their defaults, wherever it stands.
    for (const std::string_view key : {"servers", "mcpServers"}) {
        if (const auto servers = top.find(key)) read_servers(*servers, config);
    }
    if (const auto groups = top.find("groups")) read_groups(*groups, config);
}

Result<std::string> read_file(const std::filesystem::path& file, std::size_t max_bytes) {
    std::error_code error;
    if (!std::filesystem::exists(file, error)) {
        return fail(ErrorCode::kNotFound, file.string() + ": there is no such file");
    }
    std::ifstream in(file, std::ios::binary);
    std::string text(max_bytes + 1, '\0');
    if (!in || std::filesystem::is_directory(file, error)) {
        return fail(ErrorCode::kInvalidArgument, file.string() + ": cannot be read");
    }
    in.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(in.gcount()));
    return text;
}

}  // namespace

Result<Config> parse_config(std::string_view text, const std::string& origin) {
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
    read_all(Node{document->tree, "", "", faults}, config);
    if (!faults.empty()) return fail(ErrorCode::kInvalidArgument, faults.text());
    return config;
}

Result<Config> load_config(const std::filesystem::path& file) {
    GANTRY_TRY(const std::string text, read_file(file, YamlLimits().max_bytes));
    GANTRY_TRY(Config config, parse_config(text, file.string()));
    auto folder = expand(config.state_dir);
    if (!folder) return fail(folder.error().within(file.string() + ": state_dir"));
    config.state_dir = *std::move(folder);
    return config;
}

}  // namespace gantry::app
