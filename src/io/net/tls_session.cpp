#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/try.hpp"
#include "io/loop.hpp"
#include "io/net/tls_impl.hpp"

namespace gantry::net {

namespace {

constexpr int kBurst = 16;

// One large buffer of each kind is cached per thread: a session takes it while it has bytes to
// process and returns it, so idle sessions hold none.
thread_local std::unique_ptr<char[]> spare_input;
thread_local std::vector<char> spare_output;

std::unique_ptr<char[]> take_input() {
    if (spare_input) return std::move(spare_input);
    return std::make_unique_for_overwrite<char[]>(TlsStream::Impl::kBatch);
}

void give_back(std::unique_ptr<char[]>& buffer) {
    if (!spare_input) spare_input = std::move(buffer);
    buffer.reset();
}

void give_back(std::vector<char>& buffer) {
    buffer.clear();
    if (spare_output.capacity() == 0) {
        spare_output.swap(buffer);
    } else if (buffer.capacity() > 0) {
        std::vector<char>().swap(buffer);
    }
}

int bio_read(BIO* bio, char* into, int length) {
    auto& session = *static_cast<TlsStream::Impl*>(BIO_get_data(bio));
    BIO_clear_retry_flags(bio);
    if (session.input.empty()) {
        BIO_set_retry_read(bio);
        return -1;
    }
    const std::size_t count = std::min(session.input.size(), static_cast<std::size_t>(length));
    std::memcpy(into, session.input.data(), count);
    session.input.remove_prefix(count);
    return static_cast<int>(count);
}

int bio_write(BIO* bio, const char* bytes, int length) {
    auto& session = *static_cast<TlsStream::Impl*>(BIO_get_data(bio));
    BIO_clear_retry_flags(bio);
    if (session.out.capacity() == 0) session.out.swap(spare_output);
    session.out.insert(session.out.end(), bytes, bytes + length);
    return length;
}

long bio_ctrl(BIO*, int command, long, void*) {
    return command == BIO_CTRL_FLUSH || command == BIO_CTRL_DUP ? 1 : 0;
}

const BIO_METHOD* bio_method() {
    static const BIO_METHOD* const method = [] {
        BIO_METHOD* made = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "gantry");
        BIO_meth_set_read(made, bio_read);
        BIO_meth_set_write(made, bio_write);
        BIO_meth_set_ctrl(made, bio_ctrl);
        return made;
    }();
    return method;
}

}  // namespace

TlsStream::Impl::Impl(std::unique_ptr<TcpStream> stream, SSL_CTX* ctx, std::shared_ptr<const void> owner)
    : context(std::move(owner)), tcp(std::move(stream)), ssl(SSL_new(ctx)) {
    BIO* const bio = BIO_new(bio_method());
    BIO_set_data(bio, this);
    BIO_set_init(bio, 1);
    SSL_set_bio(ssl.get(), bio, bio);
    SSL_set_app_data(ssl.get(), this);
}

TlsStream::Impl::~Impl() {
    // OpenSSL drops the session of a connection without close_notify. A disconnect is no reason
    // against resuming it; a protocol violation is.
    if (!misbehaved) SSL_set_shutdown(ssl.get(), SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN);
    if (large) give_back(large);
    give_back(out);
}

Result<void> TlsStream::Impl::usable() const {
    if (closed) return fail(ErrorCode::kConnection, "the connection is closed");
    if (broken) return fail(*broken);
    return {};
}

Error TlsStream::Impl::failure(std::string_view what) {
    const long verdict = SSL_get_verify_result(ssl.get());
    std::string reason = openssl_reason();
    if (!SSL_is_server(ssl.get()) && !SSL_is_init_finished(ssl.get()) && verdict != X509_V_OK &&
        SSL_get_verify_mode(ssl.get()) != SSL_VERIFY_NONE) {
        reason = "certificate of '" + host + "' refused: " + X509_verify_cert_error_string(verdict);
    }
    Error error = Error(ErrorCode::kConnection, std::string(what) + ": " + reason).retryable(false);
    broken = error;
    misbehaved = true;
    return error;
}

Result<std::size_t> TlsStream::Impl::decrypt(std::span<char> into) {
    need_input = false;
    if (ended) return 0;
    if (input.empty() && SSL_has_pending(ssl.get()) == 0) {
        need_input = true;  // calling OpenSSL would be wasted
        return 0;
    }
    std::size_t total = 0;
    while (total < into.size()) {
        ERR_clear_error();
        std::size_t count = 0;
        const int status = SSL_read_ex(ssl.get(), into.data() + total, into.size() - total, &count);
        if (status == 1) {
            total += count;
            if (input.empty() && SSL_pending(ssl.get()) == 0) break;
            continue;
        }
        const int reason = SSL_get_error(ssl.get(), status);
        if (reason == SSL_ERROR_WANT_READ) {
            need_input = total == 0;
        } else if (reason == SSL_ERROR_ZERO_RETURN) {
            ended = true;
        } else {
            const Error error = failure("TLS");
            if (total == 0) return fail(error);
        }
        break;
    }
    if (large && input.empty()) give_back(large);
    return total;
}

Result<void> TlsStream::Impl::encrypt(std::string_view plain) {
    ERR_clear_error();
    std::size_t count = 0;
    if (SSL_write_ex(ssl.get(), plain.data(), plain.size(), &count) != 1) return fail(failure("TLS"));
    return {};
}

Result<bool> TlsStream::Impl::try_flush() {
    if (flushing) return false;
    if (out.empty()) return true;
    auto taken = tcp->try_write(std::string_view(out.data() + sent, out.size() - sent));
    if (!taken) {
        broken = taken.error();
        return fail(std::move(taken).error());
    }
    sent += *taken;
    if (sent < out.size()) return false;
    sent = 0;
    give_back(out);
    return true;
}

Task<Result<void>> TlsStream::Impl::flush(const Context& ctx) {
    while (flushing) GANTRY_CO_CHECK(co_await flushed.wait(ctx));
    GANTRY_CO_CHECK(usable());
    flushing = true;
    Result<void> result;
    while (result && !out.empty()) {
        std::vector<char> sending = std::exchange(out, {});
        const std::size_t from = std::exchange(sent, 0);
        result = co_await tcp->write(ctx, std::string_view(sending.data() + from, sending.size() - from));
        give_back(sending);
    }
    if (!result) broken = result.error();
    flushing = false;
    flushed.pulse();
    co_return result;
}

Task<Result<void>> TlsStream::Impl::receive(const Context& ctx) {
    if (more_expected) {
        if (++burst >= kBurst) {
            burst = 0;
            co_await yield_now();
        }
        GANTRY_CO_CHECK(usable());
        if (!large) large = take_input();
        const auto got = tcp->try_read(std::span(large.get(), kBatch));
        if (got && *got && **got > 0) {
            more_expected = **got == kBatch;
            input = std::string_view(large.get(), **got);
            co_return Result<void>();
        }
        give_back(large);  // errors and the end are detected again below
    }
    burst = 0;
    GANTRY_CO_TRY(const std::size_t got, co_await tcp->read_some(ctx, small));
    if (got == 0) {
        broken = Error(ErrorCode::kConnection, "the peer ended the TLS connection without close_notify");
        co_return fail(*broken);
    }
    more_expected = got == small.size();
    input = std::string_view(small.data(), got);
    co_return Result<void>();
}

Task<Result<void>> TlsStream::Impl::handshake(const Context& ctx) {
    for (;;) {
        ERR_clear_error();
        const int status = SSL_do_handshake(ssl.get());
        const int reason = status == 1 ? SSL_ERROR_NONE : SSL_get_error(ssl.get(), status);
        std::optional<Error> error;
        if (reason != SSL_ERROR_NONE && reason != SSL_ERROR_WANT_READ) error = failure("TLS handshake");
        if (error) {
            // Send the alert, best effort; the caller gets the error in any case.
            if (has_output()) (void)tcp->try_write(std::string_view(out.data(), out.size()));
            co_return fail(*std::move(error));
        }
        if (has_output()) GANTRY_CO_CHECK(co_await flush(ctx));
        if (reason == SSL_ERROR_NONE) co_return Result<void>();
        if (auto received = co_await receive(ctx); !received) {
            co_return fail(received.error().within("TLS handshake"));
        }
    }
}

}  // namespace gantry::net
