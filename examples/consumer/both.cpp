// consumer_both: a server and a client of it in one program, over HTTP; links both libraries.
#include <cstdio>

#include "gantry/client.hpp"
#include "gantry/server.hpp"

struct NameArgs {
    std::string name;
};
GANTRY_DESCRIBE(NameArgs, (name, "whom to greet"))

int main() {
    gantry::Server server("greeter", "1.0");
    auto served = server.add_tool(
        "greet", "Greets", [](const NameArgs& args) -> gantry::Result<std::string> { return "hello " + args.name; });
    if (served) served = server.serve_http();
    if (!served) return std::fprintf(stderr, "%s\n", served.error().to_string().c_str()), 1;
    {
        auto client = gantry::connect({.server = gantry::HttpServer{.url = server.url()}});
        if (!client) return std::fprintf(stderr, "%s\n", client.error().to_string().c_str()), 1;
        auto result = client->call("greet", {{"name", "world"}});
        if (!result) return std::fprintf(stderr, "%s\n", result.error().to_string().c_str()), 1;
        std::puts(result->text().c_str());
    }
    server.stop();
    return 0;
}
