#include "bad_clients/upstream.hpp"

#include "gantry/json.hpp"

namespace gantry::testing {
namespace {

constexpr const char* kTools[] = {"big", "chatty", "cut", "bad_utf8", "twice", "no_json", "too_long", "noisy"};

std::string tools() {
    JsonArray list;
    for (const char* name : kTools) {
        list.push_back(JsonObject{
            {"name", name},
            {"inputSchema",
             JsonObject{{"type", "object"}, {"properties", JsonObject{{"bytes", JsonObject{{"type", "integer"}}}}}}}});
    }
    return Json(JsonObject{{"tools", std::move(list)}}).dump();
}

std::string answer(const std::string& id, const std::string& result) {
    return R"({"jsonrpc":"2.0","id":)" + id + R"(,"result":)" + result + "}";
}

void send_chunk(int socket, const std::string& bytes) {
    constexpr char kDigits[] = "0123456789abcdef";
    std::string size;
    for (std::size_t left = bytes.size(); left > 0; left /= 16) size.insert(size.begin(), kDigits[left % 16]);
    RawServer::send(socket, size + "\r\n" + bytes + "\r\n");
}

void start_chunks(int socket, const std::string& type) {
    RawServer::send(socket, "HTTP/1.1 200 OK\r\nContent-Type: " + type + "\r\nTransfer-Encoding: chunked\r\n\r\n");
}

void chat(int socket, const std::string& id, const Json& token, std::size_t bytes) {
    start_chunks(socket, "text/event-stream");
    std::string events;
    std::size_t sent = 0;
    for (int step = 1; sent < bytes; ++step) {
        const Json progress = JsonObject{
            {"jsonrpc", "2.0"},
            {"method", "notifications/progress"},
            {"params", JsonObject{{"progressToken", token}, {"progress", step}, {"message", std::string(800, 'p')}}}};
        events += "data: " + progress.dump() + "\n\n";
        if (events.size() < 60'000) continue;
        sent += events.size();
        send_chunk(socket, events);
        events.clear();
    }
    send_chunk(socket, "data: " + answer(id, R"({"content":[{"type":"text","text":"done"}]})") + "\n\n");
    RawServer::send(socket, "0\r\n\r\n");
}

/// Sends a notification of `bytes` bytes, then a short result.
void be_noisy(int socket, const std::string& id, std::size_t bytes) {
    start_chunks(socket, "text/event-stream");
    send_chunk(socket, R"(data: {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":")");
    const std::string piece(65'536, 'n');
    for (std::size_t sent = 0; sent < bytes; sent += piece.size()) send_chunk(socket, piece);
    send_chunk(socket, "\"}}\n\ndata: " + answer(id, R"({"content":[{"type":"text","text":"done"}]})") + "\n\n");
    RawServer::send(socket, "0\r\n\r\n");
}

/// The text's ending, for tools whose text goes bad.
std::string bad_end(const std::string& tool) {
    if (tool == "bad_utf8") return "\xff\xfe\"}]}}";
    if (tool == "twice") return R"("}],"content":[]}})";
    if (tool == "no_json") return R"("}],,}})";
    return R"("}]}})";
}

/// False: end this connection.
bool call(int socket, const Json& request, const std::string& id, std::atomic<int>& chats) {
    const std::string tool(request.at_pointer("/params/name")->if_string()->c_str());
    const Json* asked = request.at_pointer("/params/arguments/bytes");
    std::size_t left = asked != nullptr ? static_cast<std::size_t>(asked->as_int().value_or(0)) : 0;
    if (tool == "chatty") {
        const Json* token = request.at_pointer("/params/_meta/progressToken");
        chat(socket, id, token != nullptr ? *token : Json(), left);
        ++chats;
        return true;
    }
    if (tool == "noisy") {
        be_noisy(socket, id, left);
        return true;
    }
    start_chunks(socket, "application/json");
    send_chunk(socket, R"({"jsonrpc":"2.0","id":)" + id + R"(,"result":{"content":[{"type":"text","text":")");
    for (const std::string piece(65'536, 't'); left > 0; left -= std::min(left, piece.size()))
        send_chunk(socket, piece.substr(0, std::min(left, piece.size())));
    if (tool == "cut") return false;
    send_chunk(socket, bad_end(tool));
    RawServer::send(socket, "0\r\n\r\n");
    return true;
}

void serve(int socket, std::atomic<int>& chats) {
    for (;;) {
        const std::string bytes = RawServer::read_request(socket);
        if (bytes.empty()) return;
        if (const std::string greeting = handshake_response(bytes); !greeting.empty()) {
            RawServer::send(socket, greeting);
            continue;
        }
        const auto request = Json::parse(std::string_view(bytes).substr(bytes.find("\r\n\r\n") + 4));
        const std::string id = id_in(bytes);
        if (!request) return;
        const std::string_view method = request->string_at("method");
        if (method == "tools/call") {
            if (!call(socket, *request, id, chats)) return;
        } else if (method == "tools/list") {
            RawServer::send(socket, json_response(answer(id, tools())));
        } else {
            RawServer::send(socket, json_response(answer(id, "{}")));
        }
    }
}

}  // namespace

Upstream::Upstream()
    : server_(std::make_unique<RawServer>([chats = chats_](RawServer&, int socket) { serve(socket, *chats); })) {}

std::string Upstream::entry(const std::string& more) const {
    return "  - name: raw\n    url: " + server_->url() + "\n    transport: http\n    era: legacy\n" + more;
}

}  // namespace gantry::testing
