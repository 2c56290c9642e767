#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "io/http/client.hpp"
#include "io/http/server.hpp"
#include "io/loop.hpp"
#include "io/net/egress.hpp"
#include "io/net/tcp.hpp"
#include "io/scope.hpp"

// gtest's ASSERT_ returns a plain value, which a coroutine cannot.
#define CO_ASSERT(condition)                         \
    if (!(condition)) {                              \
        ADD_FAILURE() << "not true: " << #condition; \
        co_return;                                   \
    }
#define CO_ASSERT_OK(result)                                              \
    if (!(result)) {                                                      \
        ADD_FAILURE() << #result << ": " << (result).error().to_string(); \
        co_return;                                                        \
    }

namespace gantry::http::testing {

/// Generous for a loaded machine; only a failing test waits for it.
inline Context patiently() {
    return Context::background().within(seconds(20));
}

inline Url url_of(std::uint16_t port, std::string_view target = "/", std::string_view scheme = "http") {
    return *Url::parse(std::string(scheme) + "://127.0.0.1:" + std::to_string(port) + std::string(target));
}

/// Answers 200 with "METHOD target body".
Task<void> echo(const Context& ctx, Exchange& exchange);

/// A raw client: sends exact bytes and receives everything.
class RawClient {
public:
    static Task<std::unique_ptr<RawClient>> connect(std::uint16_t port);

    Task<bool> send(std::string_view bytes);
    /// Reads up to and including the first `end`, or until the connection ended.
    Task<std::string> read_until(std::string_view end);
    /// Reads until the server closes.
    Task<std::string> read_to_end();
    net::TcpStream& stream() { return *stream_; }

private:
    std::unique_ptr<net::TcpStream> stream_;
    std::string got_;
};

/// Sends `bytes` in two parts split at `cut` and returns all that is received until the server closes.
Task<std::string> talk(std::uint16_t port, std::string bytes, std::size_t cut = std::string::npos);

/// A server with scripted connections: the n-th connection is handled by the n-th script.
class ScriptedServer {
public:
    using Script = std::function<Task<void>(net::TcpStream& stream)>;

    ScriptedServer(Loop& loop, std::vector<Script> scripts);
    std::uint16_t port() const { return listener_->port(); }
    std::size_t connections() const { return connections_; }
    /// Spawn it into the test's scope.
    Task<void> run(Context ctx);
    void close() { listener_->close(); }

private:
    std::unique_ptr<net::TcpListener> listener_;
    std::vector<Script> scripts_;
    std::size_t connections_ = 0;
};

/// Reads one request head and as many body bytes as Content-Length says; the text of it.
Task<std::string> read_request(net::TcpStream& stream);

/// A loop with any servers a test starts on it; stops them at the end, also after a failure.
class HttpTest : public ::testing::Test {
protected:
    Server& serve(Handler handler, ServerOptions options = {},
                  std::shared_ptr<const net::TlsServerContext> tls = nullptr);
    /// Runs the test's body, then stops the servers.
    void run(Task<void> body);

    Loop loop_;
    net::EgressGuard guard_;
    std::vector<std::unique_ptr<Server>> servers_;

private:
    Task<void> run_and_stop(Task<void> body);
};

}  // namespace gantry::http::testing
