#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/net/tcp.hpp"
#include "io/stream.hpp"

namespace gantry::net {

/// Initializes the TLS library, which otherwise happens with the first context. A thread that is joined by static
/// destructors must call it before it is started, so that the library's cleanup runs after that thread has ended.
void prepare_tls();

/// PEM from a file, or from memory if `text` is not empty. Neither: absent.
struct Pem {
    std::string file;
    std::string text;
    bool empty() const noexcept { return file.empty() && text.empty(); }
};

struct TlsClientOptions {
    /// Certificate authorities to trust instead of the system's.
    Pem roots;
    /// Client certificate for servers that request one; both or neither. Encrypted keys are rejected.
    Pem certificate;
    Pem key;
    /// In order of preference; empty offers none.
    std::vector<std::string> alpn = {"http/1.1"};
    /// If false, any certificate of any host is accepted. For tests and for operators who explicitly opt out.
    bool verify = true;
};

struct TlsServerOptions {
    /// The leaf first, then its chain.
    Pem certificate;
    Pem key;
    /// If set, clients must present a certificate signed by one of these.
    Pem client_roots;
    /// A client that offers ALPN but none of these is rejected; empty ignores ALPN.
    std::vector<std::string> alpn = {"http/1.1"};
};

/// Trust, identity and session cache of outgoing TLS 1.2/1.3 connections. May be used by any loop.
class TlsClientContext {
public:
    /// kParse or kInvalidArgument for unusable files.
    static Result<std::shared_ptr<const TlsClientContext>> make(const TlsClientOptions& options = {});
    ~TlsClientContext();

    class Impl;  // internal to io/net
    explicit TlsClientContext(std::unique_ptr<Impl> impl) noexcept;
    Impl& impl() const noexcept { return *impl_; }

private:
    std::unique_ptr<Impl> impl_;
};

/// Identity of incoming TLS 1.2/1.3 connections. May be used by any loop.
class TlsServerContext {
public:
    static Result<std::shared_ptr<const TlsServerContext>> make(const TlsServerOptions& options);
    ~TlsServerContext();

    class Impl;  // internal to io/net
    explicit TlsServerContext(std::unique_ptr<Impl> impl) noexcept;
    Impl& impl() const noexcept { return *impl_; }

private:
    std::unique_ptr<Impl> impl_;
};

/// A TLS session over a TCP connection.
///
/// If the peer disconnects without close_notify, a read fails with kConnection, so that a truncated
/// body never passes for complete. close() sends no close_notify; call shutdown_write() before it to send one.
/// Up to 64 KB of records are sent in one system call; idle sessions hold no large buffers.
class TlsStream final : public Stream {
public:
    ~TlsStream() override;

    Task<Result<std::size_t>> read_some(const Context& ctx, std::span<char> into) override;
    Task<Result<void>> write(const Context& ctx, std::string_view bytes) override;
    Task<Result<void>> write_pieces(const Context& ctx, std::span<const std::string_view> pieces) override;
    Task<Result<void>> wait_for_disconnect(const Context& ctx) override;
    Task<Result<void>> shutdown_write(const Context& ctx) override;
    void close() noexcept override;

    /// The negotiated protocol; empty if none.
    std::string_view alpn() const noexcept;
    /// "TLSv1.3" or "TLSv1.2".
    std::string_view version() const noexcept;
    bool resumed() const noexcept;
    const TcpStream& tcp() const noexcept;

    class Impl;  // internal to io/net
    explicit TlsStream(std::unique_ptr<Impl> impl) noexcept;

private:
    std::unique_ptr<Impl> impl_;
};

/// Performs the handshake as client. `host` is sent as SNI and must match the certificate (a DNS name or an
/// IP address). A rejected certificate is a kConnection error that is not retryable.
Task<Result<std::unique_ptr<TlsStream>>> tls_connect(const Context& ctx, std::unique_ptr<TcpStream> tcp,
                                                     std::shared_ptr<const TlsClientContext> tls, std::string host);

/// Performs the handshake as server.
Task<Result<std::unique_ptr<TlsStream>>> tls_accept(const Context& ctx, std::unique_ptr<TcpStream> tcp,
                                                    std::shared_ptr<const TlsServerContext> tls);

}  // namespace gantry::net
