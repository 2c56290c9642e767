// A server that misbehaves in one way, selected by the first argument. Otherwise speaks 2025-11-25. The second argument
// is a mark by which tests find the process and its descendants.

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <iostream>
#include <optional>
#include <string>

#include "mcp/protocol/message.hpp"
#include "support/sanitized.hpp"

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

/// One line of `bytes` letters between `head` and `tail`, never held in memory as a whole.
void long_line(std::string_view head, std::size_t bytes, std::string_view tail) {
    put(head);
    const std::string block(1 << 16, 'x');
    for (std::size_t sent = 0; sent < bytes; sent += block.size()) put(block);
    put(tail);
    put("\n");
}

void huge_answer(const std::string& id, std::size_t bytes) {
    long_line(R"({"jsonrpc":"2.0","id":)" + id + R"(,"result":{"content":[{"type":"text","text":")", bytes, "\"}]}}");
}

/// Notifications of 40 MB: one of letters, one of a million small values, which take much memory when parsed.
void huge_notes() {
    const std::string head = R"({"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":)";
    for (int i = 0; i < (gantry::testing::kSanitized ? 1 : 2); ++i) {
        long_line(head + "\"", 40u << 20, "\"}}");
        put(head + "[0");
        std::string block;
        while (block.size() < 1 << 16) block += ",{}";
        for (std::size_t sent = 0; sent < 40u << 20; sent += block.size()) put(block);
        put("]}}\n");
    }
}

/// 50,000 lines and one that is 10 MB long.
void flood_stderr() {
    const std::string line(1000, 'e');
    for (int i = 0; i < 50'000; ++i) std::cerr << line << '\n';
    for (int i = 0; i < 10'000; ++i) std::cerr << line;
    std::cerr << "\nthe end of it" << std::endl;
}

/// Sends progress on a call faster than a client can read it.
void flood_progress(const RequestMessage& request) {
    const Json* token = request.params.at_pointer("/_meta/progressToken");
    if (token == nullptr) return;
    const std::string words(800, 'p');
    for (int step = 1; step <= 12'000; ++step) {
        say(NotificationMessage{"notifications/progress",
                                JsonObject{{"progressToken", *token}, {"progress", step}, {"message", words}}});
    }
}

/// Requests of its own during a call: how many it sends; it reports how many were refused.
constexpr int kQuestions = 200;
int refused_questions = 0;

void ask_many() {
    for (int i = 0; i < kQuestions; ++i) {
        say(RequestMessage{
            RequestId("question " + std::to_string(i)), "elicitation/create",
            JsonObject{{"message", "?"},
                       {"requestedSchema", JsonObject{{"type", "object"}, {"properties", JsonObject{}}}}}});
    }
}

/// One resource with a long URI, so that a few thousand updates of it are many bytes.
const std::string& long_uri() {
    static const std::string uri = "test://updates/" + std::string(4000, 'u');
    return uri;
}

/// Sends updates of one resource endlessly and no longer reads.
[[noreturn]] void flood_updates() {
    for (;;) say(NotificationMessage{"notifications/resources/updated", JsonObject{{"uri", long_uri()}}});
}

/// A descendant in its own session that ignores SIGTERM.
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

/// Sends requests endlessly and no longer reads.
[[noreturn]] void flood(const std::string& mode) {
    const std::string padding(mode == "floods-large" ? 100'000 : 10, 'p');
    const std::string method = mode == "floods-pings"          ? "ping"
                               : mode == "floods-elicitations" ? "elicitation/create"
                               : mode == "floods-notes"        ? "notifications/message"
                                                               : "no/such-method";
    const std::string params = R"("params":{"level":"info","data":")" + padding + R"("}})" + "\n";
    for (std::int64_t id = 1;; ++id) {
        std::string lines;
        for (int i = 0; i < 100; ++i) {
            lines += R"({"jsonrpc":"2.0",)";
            if (mode != "floods-notes") lines += R"("id":)" + std::to_string(id++) + ",";
            lines += R"("method":")" + method + R"(",)" + params;
        }
        put(lines);
    }
}

std::string nested(std::size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
}

/// Answers that are not valid JSON by our rules: truncated emoji, nesting beyond every limit.
bool answer_badly(const std::string& mode, const RequestMessage& request) {
    const std::string id = gantry::mcp::to_json(request.id).dump();
    const std::string head = R"({"jsonrpc":"2.0","id":)" + id + R"(,"result":)";
    if (mode == "surrogate") {
        put(head + R"({"content":[{"type":"text","text":"cut \ud83d, whole \ud83d\ude00"}]}})" + "\n");
    } else if (mode == "surrogate-large") {
        put(head + R"({"content":[{"type":"text","text":")");
        for (int i = 0; i < 300'000; ++i) put(R"(x\ud83dy\ud83d\ude00)");
        put("\"}]}}\n");
    } else if (mode == "deep") {
        put(head + R"({"content":[],"deep":)" + nested(1000) + "}}\n");
    } else if (mode == "deep-id-last") {
        put(R"({"result":{"content":[],"deep":)" + nested(1000) + R"(},"jsonrpc":"2.0","id":)" + id + "}\n");
    } else if (mode == "deep-large") {
        put(R"({"result":{"content":[],"deep":[)");
        for (int i = 0; i < 1000; ++i) put(nested(1000) + ",");
        put(R"([]]},"jsonrpc":"2.0","id":)" + id + "}\n");
    } else {
        return false;
    }
    return true;
}

void tool_call(const std::string& mode, const RequestMessage& request) {
    if (mode == "huge-line") return huge_answer("1", 200u << 20);
    if (mode == "huge-answer") {
        const Json* bytes = request.params.at_pointer("/arguments/bytes");
        if (bytes != nullptr)
            return huge_answer(gantry::mcp::to_json(request.id).dump(),
                               static_cast<std::size_t>(bytes->as_int().value_or(0)));
    }
    if (mode == "asks-many") return ask_many();  // answered once enough of them have been refused
    if (mode == "huge-notes") huge_notes();
    if (mode == "floods-progress") flood_progress(request);
    if (mode == "exits-mid-call") _exit(7);
    if (mode == "half-line") {
        put(R"({"jsonrpc":"2.0","id":)");
        _exit(0);
    }
    if (mode == "deaf") return;
    if (answer_badly(mode, request)) return;
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

/// A page of a hundred tools with a cursor for another page.
void endless_tools(const RequestMessage& request, int page) {
    JsonArray tools;
    for (int i = 0; i < 100; ++i) {
        tools.push_back(JsonObject{{"name", "t" + std::to_string(page * 100 + i)},
                                   {"description", std::string(1000, 'd')},
                                   {"inputSchema", JsonObject{{"type", "object"}}}});
    }
    answer(request, JsonObject{{"tools", std::move(tools)}, {"nextCursor", std::to_string(page)}});
}

void serve(const std::string& mode, const RequestMessage& request, int& pages) {
    if (mode == "silent") return;
    if (request.method == "server/discover" && mode == "exits-on-probe") _exit(3);
    if (request.method == "initialize") {
        JsonObject capabilities{{"tools", JsonObject{}}};
        if (mode == "floods-updates") capabilities.set("resources", JsonObject{{"subscribe", true}});
        return answer(request, JsonObject{{"protocolVersion", "2025-11-25"},
                                          {"capabilities", std::move(capabilities)},
                                          {"serverInfo", JsonObject{{"name", mode}, {"version", "1"}}}});
    }
    if (request.method == "ping") return answer(request, JsonObject{});
    if (request.method == "tools/call") return tool_call(mode, request);
    if (request.method == "resources/list") {
        return answer(request, JsonObject{{"resources", JsonArray{JsonObject{{"uri", long_uri()}, {"name", "r"}}}}});
    }
    if (request.method == "resources/subscribe") {
        answer(request, JsonObject{});
        flood_updates();
    }
    if (request.method == "tools/list") {
        if (mode == "deep-list")
            return put(R"({"result":{"tools":)" + nested(1000) + R"(},"jsonrpc":"2.0","id":)" +
                       gantry::mcp::to_json(request.id).dump() + "}\n");
        if (mode == "endless-cursor") {
            return answer(request, JsonObject{{"tools", JsonArray{}}, {"nextCursor", std::to_string(++pages)}});
        }
        if (mode == "endless-tools") return endless_tools(request, ++pages);
        answer(request, JsonObject{{"tools", JsonArray{JsonObject{{"name", "t"},
                                                                  {"inputSchema", JsonObject{{"type", "object"}}}}}}});
        if (mode == "huge-notes-unasked") return huge_notes();
        const bool in_calls = mode == "floods-stderr" || mode == "floods-progress" || mode == "floods-updates";
        if (mode.starts_with("floods-") && !in_calls) flood(mode);
        if (mode == "stops-reading") {
            for (;;) pause();
        }
        return;
    }
    say(ResponseMessage{request.id, std::unexpected(gantry::RpcError{-32601, "no such method", {}})});
}

}  // namespace

int main(int argc, char** argv) {
    const std::string mode = argc > 1 ? argv[1] : "";
    if (mode == "stubborn") signal(SIGTERM, SIG_IGN);
    std::string line;
    int pages = 0;
    std::optional<RequestMessage> asking;  // the call whose requests are being answered
    while (std::getline(std::cin, line)) {
        auto message = decode_message(line);
        if (!message) continue;
        if (const auto* request = std::get_if<RequestMessage>(&*message)) {
            if (mode == "asks-many" && request->method == "tools/call") asking = *request;
            serve(mode, *request, pages);
        }
        if (const auto* response = std::get_if<ResponseMessage>(&*message); response && asking) {
            if (!response->outcome) ++refused_questions;
            if (refused_questions == kQuestions - 16)
                answer(*asking, text(std::to_string(refused_questions) + " refused"));
        }
    }
    if (mode == "stubborn") {
        for (;;) pause();
    }
    return 0;
}
