#pragma once

#include <memory>
#include <string>

#include "io/net/test_certificates.hpp"

struct ssl_ctx_st;
struct ssl_st;

namespace gantry::testing {

/// The TLS identity of a RawServer, made with OpenSSL itself so that it can be as old or as rude as a test wants.
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

/// One connection of it. Going away says no goodbye: the records just stop.
class RawTlsSession {
public:
    RawTlsSession(const RawTls& tls, int socket);
    ~RawTlsSession();
    RawTlsSession(const RawTlsSession&) = delete;
    RawTlsSession& operator=(const RawTlsSession&) = delete;

    /// Whether the handshake succeeded.
    bool open() const noexcept { return open_; }
    std::string version() const;
    /// One HTTP request, head and body; empty when the client is gone.
    std::string read_request();
    void send(const std::string& bytes);
    /// close_notify, the end as it should be.
    void goodbye();

private:
    ssl_st* session_ = nullptr;
    bool open_ = false;
};

}  // namespace gantry::testing
