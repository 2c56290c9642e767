// consumer_server: an MCP server with one tool, on standard input and output.
#include <cstdio>

#include "gantry/server.hpp"

struct AddArgs {
    double a;
    double b;
};
GANTRY_DESCRIBE(AddArgs, (a, "first summand"), (b, "second summand"))

int main() {
    gantry::Server server("consumer", "1.0");
    auto served = server.add_tool("add", "Adds two numbers",
                                  [](const AddArgs& args) -> gantry::Result<double> { return args.a + args.b; });
    if (served) served = server.serve_stdio();
    if (!served) return std::fprintf(stderr, "%s\n", served.error().to_string().c_str()), 1;
    return 0;
}
