#include "bad_peers/raw_tls.hpp"

#include <gtest/gtest.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <pthread.h>

#include <array>
#include <csignal>

#include "support/raw_server.hpp"

namespace gantry::testing {
namespace {

using Bio = std::unique_ptr<BIO, decltype(&BIO_free)>;

Bio reader(const std::string& pem) {
    return {BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())), &BIO_free};
}

}  // namespace

RawTls::RawTls(const net::testing::TestCertificate& identity, const std::string& newest)
    : context_(SSL_CTX_new(TLS_server_method())) {
    const std::unique_ptr<X509, decltype(&X509_free)> certificate(
        PEM_read_bio_X509(reader(identity.certificate).get(), nullptr, nullptr, nullptr), &X509_free);
    const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key(
        PEM_read_bio_PrivateKey(reader(identity.key).get(), nullptr, nullptr, nullptr), &EVP_PKEY_free);
    const int version = newest == "1.1" ? TLS1_1_VERSION : newest == "1.2" ? TLS1_2_VERSION : TLS1_3_VERSION;
    // Level 0 enables versions that the library refuses by default.
    const bool ready = SSL_CTX_set_cipher_list(context_, "ALL:@SECLEVEL=0") == 1 &&
                       SSL_CTX_set_min_proto_version(context_, TLS1_VERSION) == 1 &&
                       SSL_CTX_set_max_proto_version(context_, version) == 1 &&
                       SSL_CTX_use_certificate(context_, certificate.get()) == 1 &&
                       SSL_CTX_use_PrivateKey(context_, key.get()) == 1;
    if (!ready) ADD_FAILURE() << "no TLS context";
}

RawTls::~RawTls() {
    SSL_CTX_free(context_);
}

RawTlsSession::RawTlsSession(const RawTls& tls, int socket) : session_(SSL_new(tls.context_)) {
    // OpenSSL writes without MSG_NOSIGNAL, and the client may have disconnected; each session has its own thread.
    sigset_t pipe;
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe, nullptr);
    SSL_set_fd(session_, socket);
    open_ = SSL_accept(session_) == 1;
}

RawTlsSession::~RawTlsSession() {
    SSL_free(session_);
}

std::string RawTlsSession::version() const {
    return SSL_get_version(session_);
}

std::string RawTlsSession::read_request() {
    std::string request;
    std::array<char, 4096> buffer{};
    while (!whole_request(request)) {
        const int got = SSL_read(session_, buffer.data(), static_cast<int>(buffer.size()));
        if (got <= 0) return {};
        request.append(buffer.data(), static_cast<std::size_t>(got));
    }
    return request;
}

void RawTlsSession::send(const std::string& bytes) {
    if (SSL_write(session_, bytes.data(), static_cast<int>(bytes.size())) <= 0) open_ = false;
}

void RawTlsSession::goodbye() {
    SSL_shutdown(session_);
}

}  // namespace gantry::testing
