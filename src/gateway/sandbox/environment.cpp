#include "gateway/sandbox/environment.hpp"

#include <algorithm>

extern char** environ;

namespace gantry::gateway::sandbox {

namespace {

bool given(const McpServerSpec& server, std::string_view name) {
    return server.env.contains(std::string(name));
}

void set_unless_given(process::Environment& environment, const McpServerSpec& server, std::string_view name,
                      std::string value) {
    if (!given(server, name)) process::set_variable(environment, name, std::move(value));
}

void set_proxy(process::Environment& environment, const McpServerSpec& server) {
    const std::string proxy = "http://127.0.0.1:" + std::to_string(kProxyPort);
    for (const std::string_view name :
         {"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"})
        process::set_variable(environment, name, proxy);
    for (const std::string_view name : {"NO_PROXY", "no_proxy"})
        process::set_variable(environment, name, "localhost,127.0.0.1,::1");
    // Node's own fetch looks at the proxy variables only when told to.
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
    // Ours would lead to places that are not the child's.
    if (rules.strict && !given(server, "TMPDIR"))
        std::erase_if(environment, [](const auto& entry) { return entry.first == "TMPDIR"; });
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
