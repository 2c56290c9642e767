#include <arpa/inet.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "base/try.hpp"
#include "io/net/tls.hpp"
#include "io/net/tls_impl.hpp"

namespace gantry::net {

namespace {

/// Splits pieces into records of at most 16 KB, joining small ones. A record is valid until the next
/// call on this thread, so it must be encrypted before anything is awaited.
class RecordCutter {
public:
    explicit RecordCutter(std::span<const std::string_view> pieces) noexcept : rest_(pieces) { skip_empty(); }

    bool done() const noexcept { return rest_.empty(); }

    std::string_view next() noexcept {
        static thread_local std::array<char, TlsStream::Impl::kRecord> joined;
        const std::string_view head = rest_[0].substr(offset_);
        if (head.size() >= joined.size() || rest_.size() == 1) {
            return take(std::min(head.size(), joined.size()));
        }
        std::size_t filled = 0;
        while (!done() && filled < joined.size()) {
            const std::string_view part = take(std::min(rest_[0].size() - offset_, joined.size() - filled));
            std::memcpy(joined.data() + filled, part.data(), part.size());
            filled += part.size();
        }
        return {joined.data(), filled};
    }

private:
    std::string_view take(std::size_t count) noexcept {
        const std::string_view part = rest_[0].substr(offset_, count);
        offset_ += count;
        skip_empty();
        return part;
    }
    void skip_empty() noexcept {
        while (!rest_.empty() && rest_[0].size() == offset_) {
            rest_ = rest_.subspan(1);
            offset_ = 0;
        }
    }

    std::span<const std::string_view> rest_;
    std::size_t offset_ = 0;
};

bool is_address(const std::string& host) {
    std::array<unsigned char, sizeof(in6_addr)> ignored;
    return ::inet_pton(AF_INET, host.c_str(), ignored.data()) == 1 ||
           ::inet_pton(AF_INET6, host.c_str(), ignored.data()) == 1;
}

Result<void> expect_host(SSL* ssl, const std::string& host) {
    SSL_set_hostflags(ssl, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
    const bool ok = is_address(host)
                        ? X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), host.c_str()) == 1
                        : SSL_set1_host(ssl, host.c_str()) == 1 && SSL_set_tlsext_host_name(ssl, host.c_str()) == 1;
    if (ok) return {};
    openssl_reason();
    return fail(ErrorCode::kInvalidArgument, "not a usable TLS host name: '" + host + "'");
}

}  // namespace

Task<Result<std::unique_ptr<TlsStream>>> tls_connect(const Context& ctx, std::unique_ptr<TcpStream> tcp,
                                                     std::shared_ptr<const TlsClientContext> tls, std::string host) {
    if (host.ends_with('.')) host.pop_back();
    if (host.empty() || host.find('\0') != std::string::npos) {
        co_return fail(ErrorCode::kInvalidArgument, "TLS needs a host name");
    }
    TlsClientContext::Impl& shared = tls->impl();
    auto impl = std::make_unique<TlsStream::Impl>(std::move(tcp), shared.ctx.get(), tls);
    SSL* const ssl = impl->ssl.get();
    GANTRY_CO_CHECK(expect_host(ssl, host));
    impl->host = host;
    impl->session_key = std::move(host) + ":" + std::to_string(impl->tcp->peer_port());
    impl->sessions = &shared.sessions;
    if (const SslSessionPtr session = shared.sessions.take(impl->session_key)) SSL_set_session(ssl, session.get());
    SSL_set_connect_state(ssl);
    GANTRY_CO_CHECK(co_await impl->handshake(ctx));
    co_return std::make_unique<TlsStream>(std::move(impl));
}

Task<Result<std::unique_ptr<TlsStream>>> tls_accept(const Context& ctx, std::unique_ptr<TcpStream> tcp,
                                                    std::shared_ptr<const TlsServerContext> tls) {
    auto impl = std::make_unique<TlsStream::Impl>(std::move(tcp), tls->impl().ctx.get(), tls);
    SSL_set_accept_state(impl->ssl.get());
    GANTRY_CO_CHECK(co_await impl->handshake(ctx));
    co_return std::make_unique<TlsStream>(std::move(impl));
}

TlsStream::TlsStream(std::unique_ptr<Impl> impl) noexcept : impl_(std::move(impl)) {}

TlsStream::~TlsStream() = default;

Task<Result<std::size_t>> TlsStream::read_some(const Context& ctx, std::span<char> into) {
    Impl& session = *impl_;
    if (into.empty()) co_return fail(ErrorCode::kInvalidArgument, "read into an empty buffer");
    GANTRY_CO_CHECK(ctx.check());
    for (;;) {
        GANTRY_CO_CHECK(session.usable());
        GANTRY_CO_TRY(const std::size_t count, session.decrypt(into));
        // Protocol responses, such as a key update. A concurrent flush sends them too.
        if (session.has_output() && !session.flushing) GANTRY_CO_CHECK(co_await session.flush(ctx));
        if (!session.need_input) co_return Result<std::size_t>(count);
        GANTRY_CO_CHECK(co_await session.receive(ctx));
    }
}

Task<Result<void>> TlsStream::write(const Context& ctx, std::string_view bytes) {
    co_return co_await write_pieces(ctx, std::span(&bytes, 1));
}

Task<Result<void>> TlsStream::write_pieces(const Context& ctx, std::span<const std::string_view> pieces) {
    Impl& session = *impl_;
    GANTRY_CO_CHECK(ctx.check());
    for (RecordCutter cutter(pieces); !cutter.done();) {
        GANTRY_CO_CHECK(session.usable());
        GANTRY_CO_CHECK(session.encrypt(cutter.next()));
        if (session.out.size() < Impl::kBatch && !cutter.done()) continue;
        GANTRY_CO_TRY(const bool sent, session.try_flush());
        if (!sent) GANTRY_CO_CHECK(co_await session.flush(ctx));
    }
    co_return Result<void>();
}

Task<Result<void>> TlsStream::wait_for_disconnect(const Context& ctx) {
    return impl_->tcp->wait_for_disconnect(ctx);
}

Task<Result<void>> TlsStream::shutdown_write(const Context& ctx) {
    GANTRY_CO_CHECK(impl_->usable());
    if ((SSL_get_shutdown(impl_->ssl.get()) & SSL_SENT_SHUTDOWN) != 0) co_return Result<void>();
    SSL_shutdown(impl_->ssl.get());
    co_return co_await impl_->flush(ctx);
}

void TlsStream::close() noexcept {
    impl_->closed = true;
    impl_->tcp->close();
}

std::string_view TlsStream::alpn() const noexcept {
    const unsigned char* name = nullptr;
    unsigned int length = 0;
    SSL_get0_alpn_selected(impl_->ssl.get(), &name, &length);
    return {reinterpret_cast<const char*>(name), length};
}

std::string_view TlsStream::version() const noexcept {
    return SSL_get_version(impl_->ssl.get());
}

bool TlsStream::resumed() const noexcept {
    return SSL_session_reused(impl_->ssl.get()) == 1;
}

const TcpStream& TlsStream::tcp() const noexcept {
    return *impl_->tcp;
}

}  // namespace gantry::net
