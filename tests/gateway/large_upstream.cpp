// A server of results of any size, generated while they are sent, so that it holds none of them.
//
//     gantry_large_upstream stdio|json|chunked|events|sse modern|legacy
//
// Over HTTP it prints its port. `json` declares the body's length, `chunked` does not, `events` answers with an event
// stream, `sse` is HTTP+SSE (legacy only). One tool, large: {"bytes": N, "how": "whole"|"bad_utf8"|"duplicate"|
// "truncated"} has a result of N bytes with a valid or invalid ending. Progress is sent first if it was requested.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "gantry/json.hpp"

namespace {

using gantry::Json;

enum class Form { kStdio, kJson, kChunked, kEvents, kSse };
Form form = Form::kStdio;
bool modern = true;

constexpr std::string_view kBegin = R"({"content":[{"type":"text","text":")";
constexpr std::string_view kWhole = R"("}],"isError":false})";
constexpr std::string_view kTool =
    R"({"name":"large","inputSchema":{"type":"object","properties":{"bytes":{"type":"integer"},"how":{"type":"string"}}}})";

bool send_all(int fd, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t sent = ::write(fd, bytes.data(), bytes.size());
        if (sent < 0 && errno == EINTR) continue;
        if (sent <= 0) return false;
        bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
}

/// Destination of a message that is written in pieces.
class Out {
public:
    Out(int fd, bool chunked) : fd_(fd), chunked_(chunked) {}

    bool write(std::string_view bytes) {
        if (!chunked_ || bytes.empty()) return send_all(fd_, bytes);
        char size[20];
        const auto end = std::to_chars(size, size + 16, bytes.size(), 16).ptr;
        std::string piece(size, end);
        piece.append("\r\n").append(bytes).append("\r\n");
        return send_all(fd_, piece);
    }
    bool finish() { return !chunked_ || send_all(fd_, "0\r\n\r\n"); }

private:
    int fd_;
    bool chunked_;
};

struct Result {
    std::string text;       // of a small result
    std::size_t bytes = 0;  // of a large one
    std::string how;
};

std::string_view tail_of(const std::string& how) {
    if (how == "bad_utf8") return "\xC3\"}],\"isError\":false}";
    if (how == "duplicate") return R"("}],"isError":false,"isError":false})";
    if (how == "truncated") return "";
    return kWhole;
}

std::size_t size_of(const Result& result) {
    return result.bytes > 0 ? result.bytes : result.text.size();
}

/// False: the connection broke, or the result is meant to be cut short.
bool write_result(Out& out, const Result& result) {
    if (result.bytes == 0) return out.write(result.text);
    static const std::string kBlock(64u << 10, 'x');
    const std::string_view tail = tail_of(result.how);
    std::size_t left = result.bytes - kBegin.size() - tail.size();
    if (result.how == "truncated") left /= 2;
    if (!out.write(kBegin)) return false;
    for (; left > 0; left -= std::min(left, kBlock.size())) {
        if (!out.write(std::string_view(kBlock).substr(0, left))) return false;
    }
    return out.write(tail) && result.how != "truncated";
}

Result answer_to(const Json& request) {
    const std::string_view method = request.string_at("method");
    const std::string stamp = modern ? R"("resultType":"complete","ttlMs":0,"cacheScope":"private",)" : "";
    if (method == "tools/call") {
        const Json* bytes = request.at_pointer("/params/arguments/bytes");
        const Json* how = request.at_pointer("/params/arguments/how");
        return {.bytes = static_cast<std::size_t>(bytes != nullptr ? bytes->as_int().value_or(1000) : 1000),
                .how = how != nullptr && how->is_string() ? *how->if_string() : "whole"};
    }
    if (method == "tools/list") return {.text = "{" + stamp + R"("tools":[)" + std::string(kTool) + "]}"};
    if (method == "server/discover") {
        return {.text = "{" + stamp + R"("supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}})"};
    }
    return {
        .text =
            R"({"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"l","version":"1"}})"};
}

bool is_known(std::string_view method) {
    return method.starts_with("tools/") || method == (modern ? "server/discover" : "initialize");
}

std::string refusal(const std::string& id) {
    return R"({"jsonrpc":"2.0","id":)" + id + R"(,"error":{"code":-32601,"message":"no such method"}})";
}

std::string progress_for(const Json& request) {
    const Json* token = request.at_pointer("/params/_meta/progressToken");
    if (token == nullptr || request.string_at("method") != "tools/call") return {};
    return R"({"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":1,"progressToken":)" +
           token->dump() + "}}";
}

/// Writes one message to a line or stream shared by all; the id comes last.
bool say_shared(Out& out, const Json& request, std::string_view before, std::string_view after) {
    const std::string id = request.find("id")->dump();
    if (!is_known(request.string_at("method"))) {
        return out.write(before) && out.write(refusal(id)) && out.write(after);
    }
    const std::string progress = progress_for(request);
    if (!progress.empty() && !(out.write(before) && out.write(progress) && out.write(after))) return false;
    if (!out.write(before) || !out.write(R"({"jsonrpc":"2.0","result":)")) return false;
    // A truncated result is still one message here, but not valid JSON.
    if (write_result(out, answer_to(request)) && !out.write(R"(,"id":)" + id + "}")) return false;
    return out.write(after);
}

int serve_stdio() {
    std::string in;
    char buffer[65536];
    Out out(STDOUT_FILENO, false);
    for (ssize_t got; (got = ::read(STDIN_FILENO, buffer, sizeof buffer)) > 0;) {
        in.append(buffer, static_cast<std::size_t>(got));
        for (std::size_t end; (end = in.find('\n')) != std::string::npos; in.erase(0, end + 1)) {
            const auto request = Json::parse(std::string_view(in).substr(0, end));
            if (!request || request->find("id") == nullptr) continue;
            if (!say_shared(out, *request, "", "\n")) return 1;
        }
    }
    return 0;
}

// --- HTTP ------------------------------------------------------------------------------------------------------------

std::mutex shared_turn;
int shared_stream = -1;  // the GET stream of HTTP+SSE

constexpr std::string_view kEventHead =
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";

bool answer_alone(int fd, const Json& request) {
    const std::string id = request.find("id")->dump();
    const std::string method(request.string_at("method"));
    if (!is_known(method)) {
        const std::string text = refusal(id);
        return send_all(fd, "HTTP/1.1 404 Not Found\r\nContent-Type: application/json\r\nContent-Length: " +
                                std::to_string(text.size()) + "\r\n\r\n" + text);
    }
    const Result result = answer_to(request);
    const std::string head = R"({"jsonrpc":"2.0","id":)" + id + R"(,"result":)";
    if (form == Form::kEvents) {
        Out out(fd, true);
        const std::string progress = progress_for(request);
        if (!send_all(fd, kEventHead)) return false;
        if (!progress.empty() && !out.write("data: " + progress + "\n\n")) return false;
        return out.write("event: message\ndata: " + head) && write_result(out, result) && out.write("}\n\n") &&
               out.finish();
    }
    const bool chunked = form == Form::kChunked;
    const std::string size = std::to_string(head.size() + size_of(result) + 1);
    if (!send_all(fd, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n" +
                          (chunked ? "Transfer-Encoding: chunked" : "Content-Length: " + size) + "\r\n\r\n")) {
        return false;
    }
    Out out(fd, chunked);
    return out.write(head) && write_result(out, result) && out.write("}") && out.finish();
}

bool answer_shared(int fd, const Json& request) {
    if (!send_all(fd, "HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n")) return false;
    const std::lock_guard turn(shared_turn);
    Out out(shared_stream, true);
    return say_shared(out, request, "data: ", "\n\n");
}

bool serve_one(int fd, std::string_view head, std::string_view body) {
    if (head.starts_with("GET")) {
        if (form != Form::kSse) return send_all(fd, "HTTP/1.1 405 No\r\nContent-Length: 0\r\n\r\n");
        const std::lock_guard turn(shared_turn);
        shared_stream = fd;
        Out out(fd, true);
        return send_all(fd, kEventHead) && out.write("event: endpoint\ndata: /messages\n\n");
    }
    const auto request = Json::parse(body);
    if (!request || request->find("id") == nullptr || request->find("method") == nullptr) {
        return send_all(fd, "HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n");
    }
    return form == Form::kSse ? answer_shared(fd, *request) : answer_alone(fd, *request);
}

void serve_connection(int fd) {
    std::string in;
    char buffer[65536];
    for (ssize_t got; (got = ::read(fd, buffer, sizeof buffer)) > 0;) {
        in.append(buffer, static_cast<std::size_t>(got));
        for (;;) {
            const std::size_t end = in.find("\r\n\r\n");
            if (end == std::string::npos) break;
            std::string head = in.substr(0, end);
            std::ranges::transform(head, head.begin(),
                                   [](unsigned char c) { return c < 128 && ::isupper(c) ? ::tolower(c) : c; });
            const std::size_t at = head.find("content-length: ");
            const std::size_t length = at == std::string::npos ? 0 : std::stoul(head.substr(at + 16));
            if (in.size() < end + 4 + length) break;
            const std::string kept = in.substr(0, end + 4 + length);
            in.erase(0, kept.size());
            if (!serve_one(fd, kept, std::string_view(kept).substr(end + 4))) {
                ::shutdown(fd, SHUT_RDWR);
                ::close(fd);
                return;
            }
        }
    }
    ::close(fd);
}

int serve_http() {
    const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    if (::bind(listener, reinterpret_cast<sockaddr*>(&address), size) != 0 || ::listen(listener, 64) != 0 ||
        ::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
        std::perror("gantry_large_upstream");
        return 1;
    }
    std::printf("port %d\n", ntohs(address.sin_port));
    std::fflush(stdout);
    for (;;) {
        const int fd = ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
        if (fd >= 0) std::thread(serve_connection, fd).detach();
    }
}

}  // namespace

int main(int argc, char** argv) {
    std::signal(SIGPIPE, SIG_IGN);
    if (argc != 3) return 2;
    const std::string_view wanted = argv[1];
    modern = std::string_view(argv[2]) == "modern";
    form = wanted == "json"      ? Form::kJson
           : wanted == "chunked" ? Form::kChunked
           : wanted == "events"  ? Form::kEvents
           : wanted == "sse"     ? Form::kSse
                                 : Form::kStdio;
    return form == Form::kStdio ? serve_stdio() : serve_http();
}
