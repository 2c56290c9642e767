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

/// Makes the TLS library ready, which otherwise happens with the first context. A thread whose life ends with the
/// process's statics calls it before it is started: the library then cleans up after that thread, not before it.
void prepare_tls();

/// PEM from a file, or from memory when `text` is not empty. Neither: absent.
struct Pem {
    std::string file;
    std::string text;
    bool empty() const noexcept { return file.empty() && text.empty(); }
};

struct TlsClientOptions {
    /// Certificate authorities to trust instead of the system's.
    Pem roots;
    /// What we show a server that asks; both or neither. Encrypted keys are refused.
    Pem certificate;
    Pem key;
    /// Offered in this order; empty offers none.
    std::vector<std::string> alpn = {"http/1.1"};
    /// Off: any certificate of any host passes. For tests and operators who say so in words.
    bool verify = true;
};

struct TlsServerOptions {
    /// The leaf first, then its chain.
    Pem certificate;
    Pem key;
    /// When set, clients must show a certificate signed by one of these.
    Pem client_roots;
    /// A client that offers ALPN but none of these is refused; empty ignores ALPN.
    std::vector<std::string> alpn = {"http/1.1"};
};

/// Trust and identity of outgoing TLS 1.2/1.3 connections, with the sessions to resume. Any loop may use it.
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

/// Identity of incoming TLS 1.2/1.3 connections. Any loop may use it.
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
/// A peer that vanishes without saying goodbye (close_notify) ends a read with kConnection, so a cut
/// body is never taken for a whole one. close() says no goodbye; shutdown_write() before it does.
/// Up to 64 KB of records leave in one system call; idle sessions hold no large buffers.
class TlsStream final : public Stream {
public:
    ~TlsStream() override;

    Task<Result<std::size_t>> read_some(const Context& ctx, std::span<char> into) override;
    Task<Result<void>> write(const Context& ctx, std::string_view bytes) override;
    Task<Result<void>> write_pieces(const Context& ctx, std::span<const std::string_view> pieces) override;
    Task<Result<void>> wait_for_disconnect(const Context& ctx) override;
    Task<Result<void>> shutdown_write(const Context& ctx) override;
    void close() noexcept override;

    /// What both sides agreed on; empty when nothing was.
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

/// Shakes hands as client. `host` goes into SNI and is what the certificate must name (a DNS name or an
/// IP address). A refused certificate is a kConnection error that is not retryable.
Task<Result<std::unique_ptr<TlsStream>>> tls_connect(const Context& ctx, std::unique_ptr<TcpStream> tcp,
                                                     std::shared_ptr<const TlsClientContext> tls, std::string host);

/// Shakes hands as server.
Task<Result<std::unique_ptr<TlsStream>>> tls_accept(const Context& ctx, std::unique_ptr<TcpStream> tcp,
                                                    std::shared_ptr<const TlsServerContext> tls);

}  // namespace gantry::net
