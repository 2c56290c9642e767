// List a server's tools and call one. Usage: list_and_call COMMAND [ARGUMENT …]
#include <cstdio>

#include "gantry/client.hpp"

int main(int argc, char** argv) {
    if (argc < 2) return std::puts("usage: list_and_call COMMAND [ARGUMENT …]"), 2;
    auto client = gantry::connect({.server = gantry::StdioServer{.command = argv[1], .args = {argv + 2, argv + argc}}});
    if (!client) return std::puts(client.error().to_string().c_str()), 1;

    auto tools = client->list_tools();
    if (!tools) return std::puts(tools.error().to_string().c_str()), 1;
    for (const gantry::Tool& tool : *tools) std::printf("%s: %s\n", tool.name().c_str(), tool.description().c_str());

    auto result = client->call("echo", {{"message", "hello"}});
    if (!result) return std::puts(result.error().to_string().c_str()), 1;
    std::puts(result->text().c_str());
}
