// The MCP server behind what is measured: fixed answers, so that it is never the bottleneck.
//
//     mcp_upstream [--era modern|legacy] [--tools N] [--port N] [--events]
//                                                                    HTTP on loopback; prints the port
//     mcp_upstream --stdio [--era modern|legacy] [--tools N]         one message per line
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "answers.hpp"
#include "http_upstream.hpp"

namespace {

using bench::Answer;
using bench::Answers;

bool write_all(std::string_view text) {
    while (!text.empty()) {
        const ssize_t sent = ::write(STDOUT_FILENO, text.data(), text.size());
        if (sent < 0 && errno != EINTR) return false;
        if (sent > 0) text.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
}

/// Small answers of one read leave in one write.
constexpr std::size_t kGather = 64u << 10;

bool say(const Answer& answer, std::string& out) {
    for (const auto& notification : answer.notifications) out.append(notification).append("\n");
    if (answer.stays_open || answer.status == 202) return true;
    out += answer.head;
    if (answer.tail.size() < kGather) {
        out.append(answer.tail).append("\n");
        return true;
    }
    const bool sent = write_all(out) && write_all(answer.tail);
    out.assign("\n");
    return sent;
}

int serve_stdio(const Answers& answers) {
    std::string in;
    std::string out;
    std::array<char, 65536> buffer;
    for (;;) {
        const ssize_t got = ::read(STDIN_FILENO, buffer.data(), buffer.size());
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return 0;
        in.append(buffer.data(), static_cast<std::size_t>(got));
        std::size_t begin = 0;
        for (std::size_t end; (end = in.find('\n', begin)) != std::string::npos; begin = end + 1) {
            const auto request = bench::read_request(std::string_view(in).substr(begin, end - begin));
            if (!say(answers.to(request), out)) return 1;
        }
        in.erase(0, begin);
        if (!write_all(out)) return 1;
        out.clear();
    }
}

int usage() {
    std::fputs("usage: mcp_upstream [--stdio | --events] [--era modern|legacy] [--tools N] [--port N]\n", stderr);
    return 2;
}

}  // namespace

int main(int argc, char** argv) {
    bool stdio = false;
    bool events = false;
    auto era = bench::Era::kModern;
    std::size_t tools = 10;
    int port = 0;
    for (int i = 1; i < argc; ++i) {
        const std::string_view option = argv[i];
        if (option == "--stdio" || option == "--events") {
            (option == "--stdio" ? stdio : events) = true;
            continue;
        }
        if (++i == argc) return usage();
        const std::string_view value = argv[i];
        if (option == "--era" && (value == "modern" || value == "legacy")) {
            era = value == "modern" ? bench::Era::kModern : bench::Era::kLegacy;
        } else if (option == "--tools") {
            tools = std::strtoul(argv[i], nullptr, 10);
        } else if (option == "--port") {
            port = std::atoi(argv[i]);
        } else {
            return usage();
        }
    }
    Answers answers(era, tools);
    return stdio ? serve_stdio(answers) : bench::serve_http(std::move(answers), port, events);
}
