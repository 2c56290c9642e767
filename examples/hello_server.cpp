// The smallest server: hello_server speaks on stdin and stdout, hello_server --http on a free port.
#include <cstdio>
#include <string_view>

#include "gantry/server.hpp"

struct AddArgs {
    double a;
    double b;
};
GANTRY_DESCRIBE(AddArgs, (a, "first summand"), (b, "second summand"))

int main(int argc, char** argv) {
    gantry::Server server("hello", "1.0");
    const auto added = server.add_tool("add", "Adds two numbers",
                                       [](const AddArgs& args) -> gantry::Result<double> { return args.a + args.b; });
    const bool http = argc > 1 && std::string_view(argv[1]) == "--http";
    const auto served = !added ? added : http ? server.serve_http() : server.serve_stdio();
    if (!served) return std::fprintf(stderr, "%s\n", served.error().to_string().c_str()), 1;
    if (http) {
        std::puts(server.url().c_str());
        server.wait();
    }
    return 0;
}
