#include "gateway/large_rig.hpp"
#include "support/paths.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace gantry::testing {
namespace {

constexpr std::size_t kKept = 1000;

/// Removes the framing of a body and counts its content.
class Body {
public:
    Body(Download& to, bool chunked, std::size_t length) : to_(to), chunked_(chunked), left_(length) {}

    void take(std::string_view bytes) {
        while (!bytes.empty() && !to_.complete) {
            if (chunked_ && left_ == 0) {
                size_ += bytes.front();
                bytes.remove_prefix(1);
                // "\r\n" ends the previous chunk, so a size is complete with the second one.
                if (!size_.ends_with("\r\n") || size_ == "\r\n") continue;
                left_ = std::stoul(size_, nullptr, 16);
                to_.complete = left_ == 0;
                size_.clear();
                continue;
            }
            const std::string_view part = bytes.substr(0, left_);
            count(part);
            bytes.remove_prefix(part.size());
            left_ -= part.size();
            if (!chunked_) to_.complete = left_ == 0;
        }
    }

private:
    void count(std::string_view part) {
        to_.body += part.size();
        to_.filling += static_cast<std::size_t>(std::ranges::count(part, 'x'));
        if (to_.begin.size() < kKept) to_.begin += part.substr(0, kKept - to_.begin.size());
        to_.end += part.substr(part.size() - std::min(part.size(), kKept));
        if (to_.end.size() > kKept) to_.end.erase(0, to_.end.size() - kKept);
    }

    Download& to_;
    bool chunked_;
    std::size_t left_;
    std::string size_;
};

int connected(int port) {
    const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    // Small buffers, so that a client that does not read is noticed soon.
    const int small = 64 << 10;
    ::setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    if (::connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) ADD_FAILURE() << "no connection";
    return fd;
}

std::string lower(std::string text) {
    std::ranges::transform(text, text.begin(),
                           [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    return text;
}

std::string field(const std::string& head, const std::string& name) {
    const auto at = lower(head).find("\r\n" + name + ": ");
    if (at == std::string::npos) return {};
    const auto begin = at + name.size() + 4;
    return head.substr(begin, head.find("\r\n", begin) - begin);
}

std::size_t status_line(int pid, const std::string& name) {
    std::ifstream file("/proc/" + std::to_string(pid) + "/status");
    for (std::string line; std::getline(file, line);) {
        if (line.starts_with(name)) return std::stoul(line.substr(name.size())) << 10;
    }
    return 0;
}

/// The head of the response; bytes after it are left in `more`.
std::string read_head(int fd, std::string& more) {
    std::array<char, 4096> buffer;
    for (;;) {
        if (const auto end = more.find("\r\n\r\n"); end != std::string::npos) {
            std::string head = more.substr(0, end + 2);
            more.erase(0, end + 4);
            return head;
        }
        const ssize_t got = ::read(fd, buffer.data(), buffer.size());
        if (got <= 0) return {};
        more.append(buffer.data(), static_cast<std::size_t>(got));
    }
}

std::string exchange(int port, const Caller& caller, const std::string& body, const std::string& name, Download& got,
                     const std::function<void(std::size_t)>& pace) {
    const int fd = connected(port);
    std::string request = "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port) +
                          "\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"
                          "Connection: close\r\nContent-Length: " +
                          std::to_string(body.size()) + "\r\n";
    request += std::string("MCP-Protocol-Version: ") + (caller.modern ? "2026-07-28" : "2025-11-25") + "\r\n";
    if (caller.modern) request += "Mcp-Method: tools/call\r\nMcp-Name: " + name + "\r\n";
    if (!caller.session.empty()) request += "Mcp-Session-Id: " + caller.session + "\r\n";
    request += "\r\n" + body;
    EXPECT_EQ(::write(fd, request.data(), request.size()), static_cast<ssize_t>(request.size()));
    std::string more;
    const std::string head = read_head(fd, more);
    if (head.size() > 12) got.status = std::stoi(head.substr(9, 3));
    got.events = field(head, "content-type").starts_with("text/event-stream");
    const std::string length = field(head, "content-length");
    Body reader(got, !field(head, "transfer-encoding").empty(), length.empty() ? 0 : std::stoul(length));
    if (length == "0") got.complete = true;
    reader.take(more);
    std::array<char, 65536> buffer;
    while (!got.complete) {
        if (pace) pace(got.body);
        const ssize_t size = ::read(fd, buffer.data(), buffer.size());
        if (size <= 0) break;
        reader.take({buffer.data(), static_cast<std::size_t>(size)});
    }
    ::close(fd);
    return head;
}

}  // namespace

bool Download::has(std::size_t result_bytes) const {
    // The upstream adds some 60 bytes around the filling.
    const bool filled = filling + 100 > result_bytes && filling <= result_bytes;
    const std::string last = events ? "}\n\n" : "}";
    return status == 200 && complete && filled && end.ends_with(last) &&
           begin.find(R"("content":[{"type":"text","text":"xxx)") != std::string::npos;
}

Download post(int port, const Caller& caller, const std::string& body, const std::string& name,
              const std::function<void(std::size_t)>& pace) {
    Download got;
    exchange(port, caller, body, name, got, pace);
    return got;
}

std::string call_large(const Caller& caller, std::size_t bytes, const std::string& how) {
    std::string meta;
    if (caller.progress) meta = R"("progressToken":7)";
    if (caller.modern) {
        meta += std::string(meta.empty() ? "" : ",") + R"("io.modelcontextprotocol/protocolVersion":"2026-07-28",)" +
                R"("io.modelcontextprotocol/clientCapabilities":{})";
    }
    return R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"up_large","arguments":{"bytes":)" +
           std::to_string(bytes) + R"(,"how":")" + how + R"("},"_meta":{)" + meta + "}}}";
}

std::string open_session(int port) {
    Caller caller{.modern = false};
    Download got;
    const std::string head =
        exchange(port, caller,
                 R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25",)"
                 R"("capabilities":{},"clientInfo":{"name":"t","version":"1"}}})",
                 "", got, {});
    caller.session = field(head, "mcp-session-id");
    EXPECT_FALSE(caller.session.empty()) << head;
    post(port, caller, R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
    return caller.session;
}

std::size_t resident(int pid) {
    return status_line(pid, "VmRSS:");
}
std::size_t peak(int pid) {
    return status_line(pid, "VmHWM:");
}
void forget_peak(int pid) {
    std::ofstream("/proc/" + std::to_string(pid) + "/clear_refs") << "5";
}

LargeUpstream::LargeUpstream(const std::string& form, bool modern) {
    const std::string program = gantry::test_support::built_path("tests/gantry_large_upstream");
    const std::string era = modern ? "modern" : "legacy";
    entry_ = "  - name: up\n";
    if (form == "stdio") {
        entry_ += "    command: " + program + "\n    args: [stdio, " + era + "]\n";
        return;
    }
    child_ = std::make_unique<Child>(Child::Options{.command = {program, form, era}, .env = {}});
    if (!child_->wait_for_output("\n")) ADD_FAILURE() << "the upstream did not start: " << child_->err();
    const std::string port = child_->out().substr(5, child_->out().find('\n') - 5);
    entry_ += "    url: http://127.0.0.1:" + port + (form == "sse" ? "/sse\n    transport: sse\n" : "/mcp\n");
}

}  // namespace gantry::testing
