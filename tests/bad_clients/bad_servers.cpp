#include "bad_clients/bad_servers.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <fstream>

#include "gantry/json.hpp"
#include "support/child.hpp"
#include "support/paths.hpp"

namespace gantry::testing {

std::string bad_child(const std::string& name, const std::string& mode, const std::string& more,
                      const std::string& mark) {
    return "  - name: " + name + "\n    command: " + gantry::test_support::built_path("tests/gantry_bad_peer") +
           "\n    args: [" + mode + (mark.empty() ? "" : ", " + mark) + "]\n    era: legacy\n    isolation: off\n" +
           more;
}

std::size_t written_by(const std::string& mark) {
    std::size_t most = 0;
    for (const int pid : processes_with(mark)) {
        std::ifstream io("/proc/" + std::to_string(pid) + "/io");
        std::string word;
        std::size_t bytes = 0;
        while (io >> word) {
            if (word == "wchar:" && io >> bytes) most = std::max(most, bytes);
        }
    }
    return most;
}

/// State shared by the threads that serve its connections.
struct FloodingServer::Shared {
    std::mutex mutex;
    std::condition_variable changed;
    std::deque<std::string> answers;  // for the HTTP+SSE stream
    bool listed = false;              // the handshake is over and the flood may begin
    bool stopping = false;

    void say(const std::string& answer) {
        const std::lock_guard lock(mutex);
        answers.push_back(answer);
        changed.notify_all();
    }
    void begin_flood() {
        const std::lock_guard lock(mutex);
        listed = true;
        changed.notify_all();
    }
};

namespace {

constexpr const char* kStream = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n";

bool send_all(int socket, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t sent = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (sent <= 0) return false;
        bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
}

void flood(int socket) {
    for (std::int64_t id = 1;;) {
        std::string events;
        for (int i = 0; i < 100; ++i) {
            events += R"(data: {"jsonrpc":"2.0","id":)" + std::to_string(id++) + R"(,"method":"ping"})" + "\n\n";
        }
        if (!send_all(socket, events)) return;
    }
}

std::string result_of(const Json& request) {
    const std::string_view method = request.string_at("method");
    if (method == "initialize") {
        return R"({"protocolVersion":"2024-11-05","capabilities":{"tools":{}},"serverInfo":{"name":"f","version":"1"}})";
    }
    return method == "tools/list" ? R"({"tools":[{"name":"t","inputSchema":{"type":"object"}}]})" : "{}";
}

}  // namespace

FloodingServer::FloodingServer() : shared_(std::make_shared<Shared>()) {
    server_ = std::make_unique<RawServer>([shared = shared_](RawServer& server, int socket) {
        for (;;) {
            const std::string bytes = RawServer::read_request(socket);
            if (bytes.empty()) return;
            if (bytes.starts_with("GET ")) {
                const bool sse = bytes.starts_with("GET /sse");
                send_all(socket, kStream);
                if (sse) send_all(socket, "event: endpoint\ndata: /message\n\n");
                std::unique_lock lock(shared->mutex);
                while (!shared->stopping && !(shared->listed && shared->answers.empty())) {
                    if (sse && !shared->answers.empty()) {
                        send_all(socket, "data: " + shared->answers.front() + "\n\n");
                        shared->answers.pop_front();
                        continue;
                    }
                    shared->changed.wait(lock);
                }
                lock.unlock();
                return flood(socket);
            }
            const auto request = Json::parse(std::string_view(bytes).substr(bytes.find("\r\n\r\n") + 4));
            if (!request) return;
            const bool sse = bytes.starts_with("POST /message");
            if (request->find("method") == nullptr) return server.hold(socket);  // an answer to one of ours
            if (request->find("id") == nullptr) {
                RawServer::send(socket, "HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n");
                continue;
            }
            const std::string answer =
                R"({"jsonrpc":"2.0","id":)" + id_in(bytes) + R"(,"result":)" + result_of(*request) + "}";
            if (sse) {
                shared->say(answer);
                RawServer::send(socket, "HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n");
            } else {
                RawServer::send(socket, json_response(answer));
            }
            if (request->string_at("method") == "tools/list") shared->begin_flood();
        }
    });
}

FloodingServer::~FloodingServer() {
    {
        const std::lock_guard lock(shared_->mutex);
        shared_->stopping = true;
    }
    shared_->changed.notify_all();
}

std::string FloodingServer::streamable_entry(const std::string& name) const {
    return "  - name: " + name + "\n    url: " + server_->url() + "\n    transport: streamable-http\n    era: legacy\n";
}

std::string FloodingServer::sse_entry(const std::string& name) const {
    return "  - name: " + name + "\n    url: " + server_->url("/sse") + "\n    transport: sse\n";
}

}  // namespace gantry::testing
