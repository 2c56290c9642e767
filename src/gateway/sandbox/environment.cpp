#include "gateway/sandbox/environment.hpp"

#include <algorithm>
#include <filesystem>

extern char** environ;

namespace gantry::gateway::sandbox {

namespace {

namespace fs = std::filesystem;

bool given(const McpServerSpec& server, std::string_view name) {
    return server.env.contains(std::string(name));
}

void set_unless_given(process::Environment& environment, const McpServerSpec& server, std::string_view name,
                      std::string value) {
    if (!given(server, name)) process::set_variable(environment, name, std::move(value));
}

/// Whether one of our variables names a path that the child cannot use.
bool leads_nowhere(const Rules& rules, std::string_view name, const std::string& value) {
    const auto holds = [path = fs::path(value).lexically_normal().string()](const std::string& place) {
        return is_in(path, place);
    };
    const bool hidden = std::ranges::any_of(rules.hide, holds);
    if (name == "TMPDIR")
        return rules.strict || hidden || std::ranges::none_of(rules.write, holds) ||
               std::ranges::any_of(rules.read_only, holds);
    if (process::names_certificates(name)) return hidden || (rules.strict && std::ranges::none_of(rules.read, holds));
    return false;
}

void set_proxy(process::Environment& environment, const McpServerSpec& server) {
    const std::string proxy = "http://127.0.0.1:" + std::to_string(kProxyPort);
    for (const std::string_view name :
         {"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"})
        process::set_variable(environment, name, proxy);
    for (const std::string_view name : {"NO_PROXY", "no_proxy"})
        process::set_variable(environment, name, "localhost,127.0.0.1,::1");
    // Node's built-in fetch honours the proxy variables only with this setting.
    set_unless_given(environment, server, "NODE_USE_ENV_PROXY", "1");
}

}  // namespace

void complete_environment(process::Environment& environment, const McpServerSpec& server, const Rules& rules,
                          const process::Environment& ours) {
    for (const std::string& name : rules.env) {
        const auto found = std::ranges::find(ours, name, &process::Environment::value_type::first);
        if (found != ours.end() && !is_credential_name(name))
            set_unless_given(environment, server, name, found->second);
    }
    set_unless_given(environment, server, "HOME", rules.home);
    if (!rules.engine.empty()) set_unless_given(environment, server, "DOCKER_HOST", rules.engine);
    std::erase_if(environment, [&](const auto& entry) {
        return !given(server, entry.first) && leads_nowhere(rules, entry.first, entry.second);
    });
    if (rules.network == NetworkAccess::kListed) set_proxy(environment, server);
}

process::Environment host_environment() {
    process::Environment all;
    for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
        const std::string_view text = *entry;
        if (const auto equals = text.find('='); equals != std::string_view::npos)
            all.emplace_back(text.substr(0, equals), text.substr(equals + 1));
    }
    return all;
}

}  // namespace gantry::gateway::sandbox
