#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <fstream>
#include <iterator>

#include "base/try.hpp"
#include "io/net/tls.hpp"
#include "io/net/tls_impl.hpp"

namespace gantry::net {

namespace {

constexpr std::size_t kMaxPemBytes = 16u << 20;

using BioPtr = std::unique_ptr<BIO, OpenSslFree<BIO_free_all>>;
using X509Ptr = std::unique_ptr<X509, OpenSslFree<X509_free>>;
using KeyPtr = std::unique_ptr<EVP_PKEY, OpenSslFree<EVP_PKEY_free>>;

struct Source {
    std::string name;  // for messages: the file, or what the text is
    std::string text;

    /// Reads from `text`, which must not move.
    BioPtr reader() const { return BioPtr(BIO_new_mem_buf(text.data(), static_cast<int>(text.size()))); }
};

Result<Source> open(const Pem& pem, std::string_view what) {
    Source source{pem.text.empty() ? std::string(what) + " '" + pem.file + "'" : std::string(what), pem.text};
    if (pem.text.empty()) {
        std::ifstream file(pem.file, std::ios::binary);
        if (!file) return fail(ErrorCode::kInvalidArgument, "cannot read " + source.name);
        std::string bytes(kMaxPemBytes + 1, '\0');
        file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
        bytes.resize(static_cast<std::size_t>(file.gcount()));
        source.text = std::move(bytes);
    }
    if (source.text.size() > kMaxPemBytes) return fail(ErrorCode::kLimit, source.name + " is larger than 16 MB");
    return source;
}

/// An encrypted key must fail instead of prompting on the terminal.
int no_passphrase(char*, int, int, void*) {
    return -1;
}

Result<std::vector<X509Ptr>> read_certificates(const Pem& pem, std::string_view what) {
    GANTRY_TRY(const Source source, open(pem, what));
    const BioPtr reader = source.reader();
    std::vector<X509Ptr> certificates;
    while (X509* certificate = PEM_read_bio_X509(reader.get(), nullptr, no_passphrase, nullptr)) {
        certificates.emplace_back(certificate);
    }
    const bool at_end = ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
    const std::string reason = openssl_reason();
    if (certificates.empty()) return fail(ErrorCode::kParse, "no PEM certificate in " + source.name);
    if (!at_end) return fail(ErrorCode::kParse, "bad PEM certificate in " + source.name + ": " + reason);
    return certificates;
}

Result<void> use_identity(SSL_CTX* ctx, const Pem& certificate, const Pem& key) {
    GANTRY_TRY(auto chain, read_certificates(certificate, "certificate"));
    GANTRY_TRY(const Source source, open(key, "private key"));
    const KeyPtr private_key(PEM_read_bio_PrivateKey(source.reader().get(), nullptr, no_passphrase, nullptr));
    if (!private_key) {
        openssl_reason();
        return fail(ErrorCode::kParse, "no usable (unencrypted PEM) key in " + source.name);
    }
    if (SSL_CTX_use_certificate(ctx, chain[0].get()) != 1) {
        return fail(ErrorCode::kInvalidArgument, "certificate refused: " + openssl_reason());
    }
    for (std::size_t i = 1; i < chain.size(); ++i) {
        if (SSL_CTX_add1_chain_cert(ctx, chain[i].get()) != 1) {
            return fail(ErrorCode::kInvalidArgument, "certificate chain refused: " + openssl_reason());
        }
    }
    if (SSL_CTX_use_PrivateKey(ctx, private_key.get()) != 1 || SSL_CTX_check_private_key(ctx) != 1) {
        return fail(ErrorCode::kInvalidArgument, "certificate and private key do not match: " + openssl_reason());
    }
    return {};
}

Result<void> trust(SSL_CTX* ctx, const Pem& roots, bool announce) {
    GANTRY_TRY(const auto certificates, read_certificates(roots, "certificate authorities"));
    X509_STORE* const store = SSL_CTX_get_cert_store(ctx);
    for (const X509Ptr& certificate : certificates) {
        if (X509_STORE_add_cert(store, certificate.get()) != 1) {
            return fail(ErrorCode::kInvalidArgument, "certificate authority refused: " + openssl_reason());
        }
        if (announce) SSL_CTX_add_client_CA(ctx, certificate.get());
    }
    return {};
}

Result<std::string> alpn_wire(const std::vector<std::string>& names) {
    std::string wire;
    for (const std::string& name : names) {
        if (name.empty() || name.size() > 255) return fail(ErrorCode::kInvalidArgument, "bad ALPN name");
        wire += static_cast<char>(static_cast<unsigned char>(name.size()));
        wire += name;
    }
    return wire;
}

Result<SslCtxPtr> new_ctx(const SSL_METHOD* method) {
    SslCtxPtr ctx(SSL_CTX_new(method));
    if (!ctx) return fail(ErrorCode::kInternal, "OpenSSL: " + openssl_reason());
    SSL_CTX_set_min_proto_version(ctx.get(), TLS1_2_VERSION);
    SSL_CTX_set_options(ctx.get(), SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_CIPHER_SERVER_PREFERENCE);
    SSL_CTX_set_mode(ctx.get(), SSL_MODE_RELEASE_BUFFERS);
    SSL_CTX_set_default_passwd_cb(ctx.get(), no_passphrase);
    return ctx;
}

int remember_session(SSL* ssl, SSL_SESSION* session) {
    auto* stream = static_cast<TlsStream::Impl*>(SSL_get_app_data(ssl));
    if (!stream || !stream->sessions) return 0;
    stream->sessions->put(stream->session_key, SslSessionPtr(session));
    return 1;  // the callback takes ownership
}

int select_alpn(SSL*, const unsigned char** chosen, unsigned char* length, const unsigned char* offered,
                unsigned int offered_length, void* self) {
    const std::string& ours = static_cast<TlsServerContext::Impl*>(self)->alpn;
    unsigned char* found = nullptr;
    const int status = SSL_select_next_proto(&found, length, reinterpret_cast<const unsigned char*>(ours.data()),
                                             static_cast<unsigned int>(ours.size()), offered, offered_length);
    *chosen = found;
    return status == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL;
}

}  // namespace

std::string openssl_reason() {
    const unsigned long code = ERR_peek_last_error();
    ERR_clear_error();
    const char* reason = code != 0 ? ERR_reason_error_string(code) : nullptr;
    return reason ? reason : "unknown reason";
}

void TlsSessionCache::put(const std::string& key, SslSessionPtr session) {
    const std::lock_guard lock(mutex_);
    if (sessions_.size() >= kMaxSessions && !sessions_.contains(key)) sessions_.erase(sessions_.begin());
    sessions_[key] = std::move(session);
}

SslSessionPtr TlsSessionCache::take(const std::string& key) {
    const std::lock_guard lock(mutex_);
    const auto found = sessions_.find(key);
    if (found == sessions_.end()) return nullptr;
    if (SSL_SESSION_get_protocol_version(found->second.get()) < TLS1_3_VERSION) {
        SSL_SESSION_up_ref(found->second.get());
        return SslSessionPtr(found->second.get());
    }
    SslSessionPtr session = std::move(found->second);
    sessions_.erase(found);
    return session;
}

TlsClientContext::TlsClientContext(std::unique_ptr<Impl> impl) noexcept : impl_(std::move(impl)) {}
TlsClientContext::~TlsClientContext() = default;

void prepare_tls() {
    OPENSSL_init_ssl(0, nullptr);
}

Result<std::shared_ptr<const TlsClientContext>> TlsClientContext::make(const TlsClientOptions& options) {
    auto impl = std::make_unique<Impl>();
    GANTRY_TRY(impl->ctx, new_ctx(TLS_client_method()));
    SSL_CTX* const ctx = impl->ctx.get();
    SSL_CTX_set_verify(ctx, options.verify ? SSL_VERIFY_PEER : SSL_VERIFY_NONE, nullptr);
    if (!options.roots.empty()) {
        GANTRY_CHECK(trust(ctx, options.roots, false));
    } else if (options.verify && SSL_CTX_set_default_verify_paths(ctx) != 1) {
        return fail(ErrorCode::kInternal, "cannot load the system's certificate authorities: " + openssl_reason());
    }
    if (options.certificate.empty() != options.key.empty()) {
        return fail(ErrorCode::kInvalidArgument, "a client certificate needs both certificate and key");
    }
    if (!options.certificate.empty()) GANTRY_CHECK(use_identity(ctx, options.certificate, options.key));
    GANTRY_TRY(const std::string alpn, alpn_wire(options.alpn));
    if (!alpn.empty() && SSL_CTX_set_alpn_protos(ctx, reinterpret_cast<const unsigned char*>(alpn.data()),
                                                 static_cast<unsigned int>(alpn.size())) != 0) {
        return fail(ErrorCode::kInternal, "OpenSSL refuses the ALPN list: " + openssl_reason());
    }
    SSL_CTX_set_session_cache_mode(ctx, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
    SSL_CTX_sess_set_new_cb(ctx, remember_session);
    return std::make_shared<const TlsClientContext>(std::move(impl));
}

TlsServerContext::TlsServerContext(std::unique_ptr<Impl> impl) noexcept : impl_(std::move(impl)) {}
TlsServerContext::~TlsServerContext() = default;

Result<std::shared_ptr<const TlsServerContext>> TlsServerContext::make(const TlsServerOptions& options) {
    auto impl = std::make_unique<Impl>();
    GANTRY_TRY(impl->ctx, new_ctx(TLS_server_method()));
    SSL_CTX* const ctx = impl->ctx.get();
    if (options.certificate.empty() || options.key.empty()) {
        return fail(ErrorCode::kInvalidArgument, "a TLS server needs a certificate and a private key");
    }
    GANTRY_CHECK(use_identity(ctx, options.certificate, options.key));
    if (!options.client_roots.empty()) {
        GANTRY_CHECK(trust(ctx, options.client_roots, true));
        SSL_CTX_set_verify(ctx, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
    }
    GANTRY_TRY(impl->alpn, alpn_wire(options.alpn));
    if (!impl->alpn.empty()) SSL_CTX_set_alpn_select_cb(ctx, select_alpn, impl.get());
    // Resumption uses tickets, so instances keep no state; the id context ties them to this program.
    SSL_CTX_set_session_cache_mode(ctx, SSL_SESS_CACHE_OFF);
    static constexpr unsigned char kSessionContext[] = "gantry";
    SSL_CTX_set_session_id_context(ctx, kSessionContext, sizeof kSessionContext - 1);
    return std::make_shared<const TlsServerContext>(std::move(impl));
}

}  // namespace gantry::net
