// The client under test of the official MCP conformance suite: conformance_client URL
#include <cstdio>
#include <cstdlib>

#include "scenarios.hpp"

namespace {

std::string environment(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? std::string() : std::string(value);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2) return std::fputs("usage: conformance_client URL\n", stderr), 2;
    conformance::Setting setting{.url = argv[argc - 1], .scenario = environment("MCP_CONFORMANCE_SCENARIO")};
    const std::string version = environment("MCP_CONFORMANCE_PROTOCOL_VERSION");
    if (const auto revision = gantry::mcp::parse_revision(version)) {
        setting.era = gantry::mcp::is_modern(*revision) ? gantry::Era::kModern : gantry::Era::kLegacy;
    }
    if (const std::string context = environment("MCP_CONFORMANCE_CONTEXT"); !context.empty()) {
        auto json = gantry::Json::parse(context);
        if (!json) return std::fprintf(stderr, "context: %s\n", json.error().to_string().c_str()), 2;
        setting.context = *std::move(json);
    }
    const auto played = conformance::play(setting);
    if (!played)
        return std::fprintf(stderr, "%s: %s\n", setting.scenario.c_str(), played.error().to_string().c_str()), 1;
    return 0;
}
