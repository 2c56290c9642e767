#pragma once

#include <openssl/ssl.h>

#include <array>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "io/net/tls.hpp"
#include "io/sync.hpp"

namespace gantry::net {

template <auto Free>
struct OpenSslFree {
    template <class T>
    void operator()(T* object) const noexcept {
        Free(object);
    }
};
using SslPtr = std::unique_ptr<SSL, OpenSslFree<SSL_free>>;
using SslCtxPtr = std::unique_ptr<SSL_CTX, OpenSslFree<SSL_CTX_free>>;
using SslSessionPtr = std::unique_ptr<SSL_SESSION, OpenSslFree<SSL_SESSION_free>>;

/// The newest entry of OpenSSL's error queue as text; clears the queue.
std::string openssl_reason();

/// Resumable sessions of a client, one per origin. Any thread.
class TlsSessionCache {
public:
    void put(const std::string& key, SslSessionPtr session);
    /// TLS 1.3 tickets are returned once, older sessions stay cached.
    SslSessionPtr take(const std::string& key);

private:
    static constexpr std::size_t kMaxSessions = 1024;
    std::mutex mutex_;
    std::unordered_map<std::string, SslSessionPtr> sessions_;
};

class TlsClientContext::Impl {
public:
    SslCtxPtr ctx;
    TlsSessionCache sessions;
};

class TlsServerContext::Impl {
public:
    SslCtxPtr ctx;
    std::string alpn;  // in wire format, for the select callback
};

/// One session: OpenSSL between plain bytes and TCP. The functions without
/// Task never wait; records accumulate in `out` until flushed, ciphertext is taken from `input`.
class TlsStream::Impl {
public:
    static constexpr std::size_t kRecord = 16u << 10;
    static constexpr std::size_t kBatch = 64u << 10;

    Impl(std::unique_ptr<TcpStream> stream, SSL_CTX* ctx, std::shared_ptr<const void> owner);
    ~Impl();
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;

    Task<Result<void>> handshake(const Context& ctx);
    /// Reads ciphertext until `input` is not empty.
    Task<Result<void>> receive(const Context& ctx);
    /// Sends `out`, including what is added meanwhile.
    Task<Result<void>> flush(const Context& ctx);

    /// As many bytes as are available and fit; zero with need_input or at the end.
    Result<std::size_t> decrypt(std::span<char> into);
    Result<void> encrypt(std::string_view plain);
    /// True if nothing is left to send.
    Result<bool> try_flush();
    bool has_output() const noexcept { return !out.empty(); }
    Result<void> usable() const;
    Error failure(std::string_view what);

    std::shared_ptr<const void> context;  // owns the SSL_CTX and the session cache
    TlsSessionCache* sessions = nullptr;
    std::string session_key, host;
    std::unique_ptr<TcpStream> tcp;
    SslPtr ssl;

    std::string_view input;  // ciphertext not yet consumed by OpenSSL; points into one of the next two
    std::array<char, 4096> small;
    std::unique_ptr<char[]> large;
    bool more_expected = false;
    int burst = 0;
    bool ended = false;       // close_notify received
    bool need_input = false;  // decrypt() needs receive() first

    std::vector<char> out;
    std::size_t sent = 0;  // of `out`
    bool flushing = false;
    Event flushed;

    bool closed = false;
    std::optional<Error> broken;  // fatal: every later operation fails
    bool misbehaved = false;      // OpenSSL itself reported a fatal error of the peer
};

}  // namespace gantry::net
