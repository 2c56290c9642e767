// Round trips over stdio: our whole client (session, framing, JSON, process supervision) against a bare ping-pong of
// the same bytes through two pipes. Alternating rounds; prints "stdio RATIO ours_us bare_us" (medians per round trip).
//
//     stdio_bench [ROUNDS] [CALLS_PER_ROUND]        stdio_bench --serve | --pong: the children it starts

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "gantry/json.hpp"
#include "io/loop.hpp"
#include "mcp/client/client.hpp"
#include "mcp/transport/stdio.hpp"

namespace {

using namespace gantry;
using Clock = std::chrono::steady_clock;

constexpr std::string_view kResult =
    R"({"content":[{"type":"text","text":"Echo: hello there, this is a usual small answer"}]})";

/// The smallest MCP server that can answer: enough of the handshake, then echoes.
int serve() {
    for (std::string line; std::getline(std::cin, line);) {
        auto message = Json::parse(line);
        if (!message || message->find("id") == nullptr) continue;
        const std::string id = message->find("id")->dump();
        const std::string_view method = message->string_at("method");
        std::string answer = R"({"jsonrpc":"2.0","id":)" + id;
        if (method == "tools/call") {
            answer += R"(,"result":)" + std::string(kResult) + '}';
        } else if (method == "initialize") {
            answer +=
                R"(,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"bench","version":"1"}}})";
        } else {
            answer += R"(,"error":{"code":-32601,"message":"no"}})";
        }
        answer += '\n';
        if (write(STDOUT_FILENO, answer.data(), answer.size()) < 0) return 1;
    }
    return 0;
}

/// Sends back as many bytes as an answer has for every line, without looking at it.
int pong() {
    const std::string answer = R"({"jsonrpc":"2.0","id":1000,"result":)" + std::string(kResult) + "}\n";
    std::array<char, 4096> buffer;
    while (read(STDIN_FILENO, buffer.data(), buffer.size()) > 0) {
        if (write(STDOUT_FILENO, answer.data(), answer.size()) < 0) return 1;
    }
    return 0;
}

double microseconds_each(Clock::time_point start, int calls) {
    return std::chrono::duration<double, std::micro>(Clock::now() - start).count() / calls;
}

class BarePipe {
public:
    explicit BarePipe(const char* self) {
        std::array<int, 2> in{}, out{};
        if (pipe(in.data()) != 0 || pipe(out.data()) != 0) std::abort();
        pid_ = fork();
        if (pid_ == 0) {
            dup2(in[0], STDIN_FILENO);
            dup2(out[1], STDOUT_FILENO);
            for (int fd : {in[0], in[1], out[0], out[1]}) close(fd);
            execl(self, self, "--pong", nullptr);
            _exit(127);
        }
        close(in[0]);
        close(out[1]);
        to_ = in[1];
        from_ = out[0];
    }
    ~BarePipe() {
        close(to_);
        close(from_);
        waitpid(pid_, nullptr, 0);
    }
    double round(int calls) {
        const std::string request =
            R"({"jsonrpc":"2.0","id":1000,"method":"tools/call","params":{"name":"echo","arguments":{"message":"hello there"}}})"
            "\n";
        std::array<char, 4096> buffer;
        const auto start = Clock::now();
        for (int i = 0; i < calls; ++i) {
            if (write(to_, request.data(), request.size()) < 0 || read(from_, buffer.data(), buffer.size()) <= 0)
                std::abort();
        }
        return microseconds_each(start, calls);
    }

private:
    pid_t pid_ = 0;
    int to_ = -1;
    int from_ = -1;
};

Task<double> client_round(mcp::Client& client, int calls) {
    const auto start = Clock::now();
    for (int i = 0; i < calls; ++i) {
        auto result = co_await client.call_tool(Context::background(), "echo", {{"message", "hello there"}});
        if (!result) {
            std::fprintf(stderr, "%s\n", result.error().to_string().c_str());
            std::abort();
        }
    }
    co_return microseconds_each(start, calls);
}

double median(std::vector<double> values) {
    std::ranges::sort(values);
    return values[values.size() / 2];
}

}  // namespace

int main(int argc, char** argv) {
    const std::string_view mode = argc > 1 ? argv[1] : "";
    if (mode == "--serve") return serve();
    if (mode == "--pong") return pong();
    const int rounds = argc > 1 ? std::atoi(argv[1]) : 7;
    const int calls = argc > 2 ? std::atoi(argv[2]) : 3000;

    Loop loop;
    mcp::Route route;
    route.transport = std::make_unique<mcp::StdioTransport>(mcp::StdioConfig{.command = argv[0], .args = {"--serve"}});
    mcp::ClientSettings settings;
    settings.era = mcp::EraChoice::kLegacy;
    mcp::Client client(std::move(route), std::move(settings));
    if (auto connected = loop.run_until_done(client.connect(Context::background())); !connected) {
        std::fprintf(stderr, "%s\n", connected.error().to_string().c_str());
        return 1;
    }
    BarePipe bare(argv[0]);
    std::vector<double> ratios, ours, plain;
    for (int i = 0; i < rounds; ++i) {
        double a = 0, b = 0;
        if (i % 2 == 0) a = loop.run_until_done(client_round(client, calls));
        b = bare.round(calls);
        if (i % 2 != 0) a = loop.run_until_done(client_round(client, calls));
        ratios.push_back(a / b);
        ours.push_back(a);
        plain.push_back(b);
    }
    loop.run_until_done(client.close());
    std::printf("stdio %.2f %.1f %.1f\n", median(ratios), median(ours), median(plain));
}
