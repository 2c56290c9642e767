// consumer_client COMMAND [ARGUMENT …]: starts an MCP server, lists its tools and calls "add". Blocking calls only, so
// that any C++23 compiler can build it, g++ 12 included.
#include <cstdio>

#include "gantry/client.hpp"

int main(int argc, char** argv) {
    if (argc < 2) return std::puts("usage: consumer_client COMMAND [ARGUMENT ...]"), 2;
    auto client = gantry::connect({.server = gantry::StdioServer{.command = argv[1], .args = {argv + 2, argv + argc}}});
    if (!client) return std::fprintf(stderr, "%s\n", client.error().to_string().c_str()), 1;
    auto tools = client->list_tools();
    if (!tools) return std::fprintf(stderr, "%s\n", tools.error().to_string().c_str()), 1;
    for (const gantry::Tool& tool : *tools) std::printf("tool %s\n", tool.name().c_str());

    auto pending = client->call_async("add", {{"a", 20}, {"b", 22}});
    auto result = pending.get();
    if (!result || result->is_error) return std::fputs("add failed\n", stderr), 1;
    std::printf("answer %s\n", result->text().c_str());
    return 0;
}
