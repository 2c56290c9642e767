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

/// The newest entry of OpenSSL's error queue as text, emptying the queue.
std::string openssl_reason();

/// Sessions a client may resume, one per origin. Any thread.
class TlsSessionCache {
public:
    void put(const std::string& key, SslSessionPtr session);
    /// TLS 1.3 tickets are handed out once, older sessions stay.
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
    std::string alpn;  // as on the wire; the select callback reads it
};

/// One session: OpenSSL in the middle, plain bytes on one side, TCP on the other. The functions without
/// Task never wait; records pile up in `out` until flushed, ciphertext is taken from `input`.
class TlsStream::Impl {
public:
    static constexpr std::size_t kRecord = 16u << 10;
    static constexpr std::size_t kBatch = 64u << 10;

    Impl(std::unique_ptr<TcpStream> stream, SSL_CTX* ctx, std::shared_ptr<const void> owner);
    ~Impl();
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;

    Task<Result<void>> handshake(const Context& ctx);
    /// Makes `input` non-empty.
    Task<Result<void>> receive(const Context& ctx);
    /// Sends `out`, also what is added meanwhile.
    Task<Result<void>> flush(const Context& ctx);

    /// As many bytes as fit and are there; zero with need_input or at the end.
    Result<std::size_t> decrypt(std::span<char> into);
    Result<void> encrypt(std::string_view plain);
    /// True when nothing is left to send.
    Result<bool> try_flush();
    bool has_output() const noexcept { return !out.empty(); }
    Result<void> usable() const;
    Error failure(std::string_view what);

    std::shared_ptr<const void> context;  // owns the SSL_CTX and the session cache
    TlsSessionCache* sessions = nullptr;
    std::string session_key, host;
    std::unique_ptr<TcpStream> tcp;
    SslPtr ssl;

    std::string_view input;  // ciphertext OpenSSL has not taken yet; points into one of the next two
    std::array<char, 4096> small;
    std::unique_ptr<char[]> large;
    bool more_expected = false;
    int burst = 0;
    bool ended = false;       // close_notify received
    bool need_input = false;  // decrypt() wants receive() first

    std::vector<char> out;
    std::size_t sent = 0;  // of `out`
    bool flushing = false;
    Event flushed;

    bool closed = false;
    std::optional<Error> broken;  // after this nothing works any more
    bool misbehaved = false;      // OpenSSL itself gave up on the peer
};

}  // namespace gantry::net
