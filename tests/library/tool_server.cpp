#include "library/tool_server.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace gantry::testing {
namespace {

const std::string kAccepted = "HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n";

std::string whole(const std::string& body) {
    return "HTTP/1.1 200 OK\r\nMcp-Session-Id: s1\r\nContent-Type: application/json\r\nContent-Length: " +
           std::to_string(body.size()) + "\r\n\r\n" + body;
}

std::string event_chunk(const std::string& data) {
    const std::string event = "data: " + data + "\n\n";
    std::array<char, 20> size{};
    const auto end = std::to_chars(size.data(), size.data() + size.size(), event.size(), 16).ptr;
    return std::string(size.data(), end) + "\r\n" + event + "\r\n";
}

}  // namespace

ToolServer::ToolServer(std::map<std::string, Answer> methods)
    : methods_(std::move(methods)), server_([this](RawServer&, int socket) { serve(socket); }) {
    methods_.try_emplace("initialize", [](const Json&) {
        return Reply{.result = R"({"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true},)"
                               R"("resources":{"subscribe":true},"prompts":{},"completions":{},"logging":{}},)"
                               R"("serverInfo":{"name":"tools","version":"1"}})"};
    });
}

ConnectOptions ToolServer::options() const {
    ConnectOptions options{.name = "the server",
                           .server = HttpServer{.url = url(), .transport = HttpServer::Transport::kStreamableHttp}};
    options.era = Era::kLegacy;
    options.connect_timeout = std::chrono::seconds(60);
    options.call_timeout = std::chrono::seconds(60);
    return options;
}

std::vector<std::string> ToolServer::seen() const {
    const std::lock_guard lock(mutex_);
    return seen_;
}

int ToolServer::count(const std::string& what) const {
    const auto all = seen();
    return static_cast<int>(std::ranges::count_if(all, [&](const std::string& one) { return one.starts_with(what); }));
}

std::string ToolServer::head_of(const std::string& method) const {
    const std::lock_guard lock(mutex_);
    const auto found = heads_.find(method);
    return found == heads_.end() ? std::string() : found->second;
}

void ToolServer::note(std::string what, const std::string& request) {
    const std::lock_guard lock(mutex_);
    heads_[what.substr(0, what.find(' '))] = request.substr(0, request.find("\r\n\r\n"));
    seen_.push_back(std::move(what));
}

void ToolServer::serve(int socket) {
    for (;;) {
        const std::string request = RawServer::read_request(socket);
        if (request.empty()) return;
        if (request.starts_with("GET")) {
            RawServer::send(socket, "HTTP/1.1 405 Method Not Allowed\r\nContent-Length: 0\r\n\r\n");
        } else if (request.starts_with("DELETE")) {
            note("DELETE", request);
            RawServer::send(socket, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
        } else {
            respond(socket, request);
        }
    }
}

void ToolServer::respond(int socket, const std::string& request) {
    const auto json = Json::parse(std::string_view(request).substr(request.find("\r\n\r\n") + 4));
    const Json* params = json ? json->find("params") : nullptr;
    if (!json || !json->find("method")) {
        note_answer(json ? json->dump() : "unreadable", request);
        return RawServer::send(socket, kAccepted);
    }
    const std::string method(json->string_at("method"));
    note(params ? method + " " + params->dump() : method, request);
    if (!json->find("id")) return RawServer::send(socket, kAccepted);

    const auto known = methods_.find(method);
    const Reply reply = known == methods_.end() ? Reply{.error = R"({"code":-32601,"message":"no such method"})"}
                                                : known->second(params ? *params : Json(JsonObject()));
    const std::string outcome = reply.error.empty() ? R"("result":)" + reply.result : R"("error":)" + reply.error;
    const std::string answer = R"({"jsonrpc":"2.0","id":)" + id_in(request) + "," + outcome + "}";
    if (reply.before.empty()) return RawServer::send(socket, whole(answer));

    RawServer::send(socket, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n");
    for (const std::string& message : reply.before) RawServer::send(socket, event_chunk(message));
    if (reply.asks) wait_for_answer();
    RawServer::send(socket, event_chunk(answer) + "0\r\n\r\n");
}

void ToolServer::note_answer(const std::string& answer, const std::string& request) {
    note("answer " + answer, request);
    {
        const std::lock_guard lock(mutex_);
        ++unused_answers_;
    }
    changed_.notify_all();
}

void ToolServer::wait_for_answer() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return unused_answers_ > 0; });
    --unused_answers_;
}

std::string tool_list(const std::vector<std::string>& names) {
    std::string tools;
    for (const std::string& name : names) {
        tools += (tools.empty() ? "" : ",") + (R"({"name":")" + name + R"(","inputSchema":{"type":"object"}})");
    }
    return R"({"tools":[)" + tools + "]}";
}

std::string text_result(const std::string& text) {
    return R"({"content":[{"type":"text","text":)" + Json(text).dump() + "}]}";
}

}  // namespace gantry::testing
