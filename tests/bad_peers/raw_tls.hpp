#pragma once

#include <memory>
#include <string>

#include "io/net/test_certificates.hpp"

struct ssl_ctx_st;
struct ssl_st;

namespace gantry::testing {

/// The TLS identity of a RawServer, built directly on OpenSSL so that it can be as outdated or incorrect as a test
/// needs.
class RawTls {
public:
    /// `newest` is the highest version offered ("1.1", "1.2", "1.3").
    explicit RawTls(const net::testing::TestCertificate& identity, const std::string& newest = "1.3");
    ~RawTls();
    RawTls(const RawTls&) = delete;
    RawTls& operator=(const RawTls&) = delete;

private:
    friend class RawTlsSession;
    ssl_ctx_st* context_ = nullptr;
};

/// One TLS connection. Destroying it sends no close_notify: the records just stop.
class RawTlsSession {
public:
    RawTlsSession(const RawTls& tls, int socket);
    ~RawTlsSession();
    RawTlsSession(const RawTlsSession&) = delete;
    RawTlsSession& operator=(const RawTlsSession&) = delete;

    /// Whether the handshake succeeded.
    bool open() const noexcept { return open_; }
    std::string version() const;
    /// One HTTP request, head and body; empty when the client has disconnected.
    std::string read_request();
    void send(const std::string& bytes);
    /// Sends close_notify, the proper end.
    void goodbye();

private:
    ssl_st* session_ = nullptr;
    bool open_ = false;
};

}  // namespace gantry::testing
