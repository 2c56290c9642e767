#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace gantry::testing {

/// A server made of sockets and canned bytes, for sending what no correct server would.
class RawServer {
public:
    /// Called for each connection, on its own thread, with the socket; the connection ends when it returns.
    using Serve = std::function<void(RawServer& server, int socket)>;
    explicit RawServer(Serve serve);
    ~RawServer();
    RawServer(const RawServer&) = delete;
    RawServer& operator=(const RawServer&) = delete;

    int port() const noexcept { return port_; }
    std::string url(const std::string& path = "/mcp", const std::string& scheme = "http") const;
    int connections() const noexcept { return connections_; }

    /// One HTTP request, head and body; empty when the client has disconnected.
    static std::string read_request(int socket);
    static void send(int socket, const std::string& bytes);
    /// Waits until the client closes or the server is destroyed.
    void hold(int socket) const;

private:
    void accept_loop();

    Serve serve_;
    int listener_ = -1;
    int port_ = 0;
    std::atomic<bool> stopping_ = false;
    std::atomic<int> connections_ = 0;
    std::thread accepting_;
    std::vector<std::thread> serving_;
};

/// Whether the bytes are an HTTP request with its complete body.
bool whole_request(const std::string& bytes);
/// "HTTP/1.1 200 OK" with a JSON body.
std::string json_response(const std::string& body);
/// The id of the JSON-RPC request in an HTTP request, as text; "null" when there is none.
std::string id_in(const std::string& request);
/// A legacy server's answer to the request if it belongs to the handshake; empty otherwise.
std::string handshake_response(const std::string& request);

}  // namespace gantry::testing
