#include "support/raw_server.hpp"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>

#include "gantry/json.hpp"

namespace gantry::testing {

RawServer::RawServer(Serve serve) : serve_(std::move(serve)) {
    listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    if (bind(listener_, reinterpret_cast<sockaddr*>(&address), size) != 0 || listen(listener_, 16) != 0)
        ADD_FAILURE() << "cannot listen";
    getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
    accepting_ = std::thread([this] { accept_loop(); });
}

RawServer::~RawServer() {
    stopping_ = true;
    accepting_.join();
    for (std::thread& thread : serving_) thread.join();
    close(listener_);
}

std::string RawServer::url(const std::string& path, const std::string& scheme) const {
    return scheme + "://127.0.0.1:" + std::to_string(port_) + path;
}

void RawServer::accept_loop() {
    while (!stopping_) {
        pollfd waiting{listener_, POLLIN, 0};
        if (poll(&waiting, 1, 50) <= 0) continue;
        const int socket = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
        if (socket < 0) continue;
        ++connections_;
        serving_.emplace_back([this, socket] {
            serve_(*this, socket);
            close(socket);
        });
    }
}

bool whole_request(const std::string& bytes) {
    const auto head = bytes.find("\r\n\r\n");
    if (head == std::string::npos) return false;
    std::size_t length = 0;
    for (const char* name : {"Content-Length: ", "content-length: "}) {
        const auto at = bytes.find(name);
        if (at != std::string::npos && at < head) length = std::stoul(bytes.substr(at + 16));
    }
    return bytes.size() >= head + 4 + length;
}

std::string RawServer::read_request(int socket) {
    std::string request;
    std::array<char, 4096> buffer{};
    while (!whole_request(request)) {
        const ssize_t got = recv(socket, buffer.data(), buffer.size(), 0);
        if (got <= 0) return {};
        request.append(buffer.data(), static_cast<std::size_t>(got));
    }
    return request;
}

void RawServer::send(int socket, const std::string& bytes) {
    std::size_t sent = 0;
    while (sent < bytes.size()) {
        const ssize_t more = ::send(socket, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
        if (more <= 0) return;
        sent += static_cast<std::size_t>(more);
    }
}

void RawServer::hold(int socket) const {
    std::array<char, 256> buffer{};
    while (!stopping_) {
        pollfd waiting{socket, POLLIN, 0};
        if (poll(&waiting, 1, 50) > 0 && recv(socket, buffer.data(), buffer.size(), 0) <= 0) return;
    }
}

std::string json_response(const std::string& body) {
    return "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) +
           "\r\n\r\n" + body;
}

std::string id_in(const std::string& request) {
    const auto json = Json::parse(std::string_view(request).substr(request.find("\r\n\r\n") + 4));
    const Json* id = json ? json->find("id") : nullptr;
    return id != nullptr ? id->dump() : "null";
}

std::string handshake_response(const std::string& request) {
    if (request.starts_with("GET")) return "HTTP/1.1 405 Method Not Allowed\r\nContent-Length: 0\r\n\r\n";
    if (request.find(R"("initialize")") != std::string::npos) {
        return json_response(R"({"jsonrpc":"2.0","id":)" + id_in(request) +
                             R"(,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},)"
                             R"("serverInfo":{"name":"raw","version":"1"}}})");
    }
    if (request.find("notifications/") != std::string::npos)
        return "HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n";
    return {};
}

}  // namespace gantry::testing
