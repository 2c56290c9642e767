// A server that misbehaves in one way, named by the first argument. Speaks 2025-11-25 otherwise. The second argument is
// a mark by which tests find the process and what it left behind.

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <iostream>
#include <string>

#include "mcp/protocol/message.hpp"

namespace {

using gantry::Json;
using gantry::JsonArray;
using gantry::JsonObject;
using namespace gantry::mcp;

void put(std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t written = write(STDOUT_FILENO, bytes.data(), bytes.size());
        if (written <= 0) _exit(0);
        bytes.remove_prefix(static_cast<std::size_t>(written));
    }
}

void say(const Message& message) {
    put(encode_message(message) + "\n");
}

void answer(const RequestMessage& request, Json result) {
    say(ResponseMessage{request.id, std::move(result)});
}

Json text(const std::string& words) {
    return JsonObject{{"content", JsonArray{JsonObject{{"type", "text"}, {"text", words}}}}};
}

/// One line of `bytes` letters, never held in memory at once.
void huge_line(std::size_t bytes) {
    put(R"({"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":")");
    const std::string block(1 << 16, 'x');
    for (std::size_t sent = 0; sent < bytes; sent += block.size()) put(block);
    put("\"}]}}\n");
}

void flood_stderr() {
    const std::string line(1000, 'e');
    for (int i = 0; i < 50'000; ++i) std::cerr << line << '\n';
}

/// A descendant in a session of its own that does not listen to SIGTERM.
void leave_a_grandchild() {
    if (fork() != 0) return;
    setsid();
    if (fork() != 0) _exit(0);
    signal(SIGTERM, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    const int null = open("/dev/null", O_RDWR);
    for (int fd = 0; fd < 3; ++fd) dup2(null, fd);
    for (;;) pause();
}

void tool_call(const std::string& mode, const RequestMessage& request) {
    if (mode == "huge-line") return huge_line(200u << 20);
    if (mode == "exits-mid-call") _exit(7);
    if (mode == "half-line") {
        put(R"({"jsonrpc":"2.0","id":)");
        _exit(0);
    }
    if (mode == "deaf") return;
    if (mode == "floods-stderr") flood_stderr();
    if (mode == "grandchild") leave_a_grandchild();
    if (mode == "twice") answer(request, text("first"));
    if (mode == "unknown-id") say(ResponseMessage{RequestId("nobody's"), text("for whom?")});
    if (mode == "notifies") {
        for (int i = 0; i < 10'000; ++i)
            say(NotificationMessage{"notifications/message", JsonObject{{"level", "info"}, {"data", i}}});
    }
    if (mode == "garbage") {
        put("Starting up!\n\n{\"jsonrpc\":\n[1,2\n\xff\xfe\x80\n\"text\"\n{\"jsonrpc\":\"1.0\"}\n");
        put(std::string("\0\0\0\n", 4));
    }
    answer(request, text("done"));
}

void serve(const std::string& mode, const RequestMessage& request, int& pages) {
    if (mode == "silent") return;
    if (request.method == "server/discover" && mode == "exits-on-probe") _exit(3);
    if (request.method == "initialize") {
        return answer(request, JsonObject{{"protocolVersion", "2025-11-25"},
                                          {"capabilities", JsonObject{{"tools", JsonObject{}}}},
                                          {"serverInfo", JsonObject{{"name", mode}, {"version", "1"}}}});
    }
    if (request.method == "ping") return answer(request, JsonObject{});
    if (request.method == "tools/call") return tool_call(mode, request);
    if (request.method == "tools/list") {
        JsonObject page{{"tools", JsonArray{}}};
        if (mode == "endless-cursor") page.set("nextCursor", std::to_string(++pages));
        return answer(request, page);
    }
    say(ResponseMessage{request.id, std::unexpected(gantry::RpcError{-32601, "no such method", {}})});
}

}  // namespace

int main(int argc, char** argv) {
    const std::string mode = argc > 1 ? argv[1] : "";
    if (mode == "stubborn") signal(SIGTERM, SIG_IGN);
    std::string line;
    int pages = 0;
    while (std::getline(std::cin, line)) {
        auto message = decode_message(line);
        if (!message) continue;
        if (const auto* request = std::get_if<RequestMessage>(&*message)) serve(mode, *request, pages);
    }
    if (mode == "stubborn") {
        for (;;) pause();
    }
    return 0;
}
