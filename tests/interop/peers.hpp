#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

#include "gantry/client.hpp"
#include "support/child.hpp"
#include "support/paths.hpp"

namespace gantry::testing {

/// A file installed by `npm ci` in tests/peers; empty when that was not run.
inline std::string peer_file(const std::string& below) {
    const std::string path = gantry::test_support::source_path("tests/peers/") + below;
    return access(path.c_str(), R_OK) == 0 ? path : std::string();
}
inline std::string node() {
    return peer_file("node_modules/.bin/node");
}
inline std::string everything_js() {
    return peer_file("node_modules/@modelcontextprotocol/server-everything/dist/index.js");
}
inline std::string dual_era_js() {
    return peer_file("node_modules/@modelcontextprotocol/server").empty() ? std::string()
                                                                          : peer_file("dual_era_server.mjs");
}

/// Long enough for Node on a busy machine.
inline ConnectOptions options_for(StdioServer server) {
    ConnectOptions options{.server = std::move(server)};
    options.connect_timeout = std::chrono::seconds(90);
    options.call_timeout = std::chrono::seconds(60);
    return options;
}
inline ConnectOptions options_for(HttpServer server) {
    ConnectOptions options{.server = std::move(server)};
    options.connect_timeout = std::chrono::seconds(90);
    options.call_timeout = std::chrono::seconds(60);
    return options;
}

inline bool has_tool(const std::vector<Tool>& tools, std::string_view name) {
    for (const Tool& tool : tools) {
        if (tool.name() == name) return true;
    }
    return false;
}

}  // namespace gantry::testing

#define SKIP_WITHOUT(path) \
    if ((path).empty()) GTEST_SKIP() << "the npm peers are not installed: run npm ci in tests/peers"
