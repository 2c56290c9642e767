#include "io/net/tls.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <array>
#include <thread>

#include "base/try.hpp"
#include "io/loop.hpp"
#include "io/net/test_certificates.hpp"
#include "io/scope.hpp"

namespace gantry::net {
namespace {

using testing::TestAuthority;
using testing::TestCertificate;

const Context kBackground = Context::background();
using ServerTls = std::shared_ptr<const TlsServerContext>;
using ClientTls = std::shared_ptr<const TlsClientContext>;
using TlsResult = Result<std::unique_ptr<TlsStream>>;

const TestAuthority& authority() {
    static const TestAuthority ca;
    return ca;
}

TlsServerOptions server_options(const TestCertificate& leaf) {
    return {.certificate = {.text = leaf.certificate}, .key = {.text = leaf.key}};
}

ServerTls server_tls(const std::vector<std::string>& hosts = {"localhost", "127.0.0.1"}) {
    return TlsServerContext::make(server_options(authority().issue(hosts))).value();
}

ClientTls client_tls() {
    return TlsClientContext::make({.roots = {.text = authority().certificate()}}).value();
}

Task<void> accept_tls(Context ctx, TcpListener* listener, ServerTls tls, TlsResult* into) {
    auto tcp = co_await listener->accept(ctx);
    if (tcp) *into = co_await tls_accept(ctx, *std::move(tcp), tls);
}

struct Ends {
    TlsResult client = fail(ErrorCode::kInternal, "not tried");
    TlsResult server = fail(ErrorCode::kInternal, "not tried");
};

Task<Ends> shake(ServerTls server, ClientTls client, std::string host, TcpListener* listener = nullptr) {
    Ends ends;
    std::unique_ptr<TcpListener> own;
    if (!listener) {
        own = TcpListener::listen(Loop::current(), {}).value();
        listener = own.get();
    }
    Scope scope(kBackground.within(seconds(30)));
    scope.spawn(accept_tls(scope.context(), listener, std::move(server), &ends.server));
    auto tcp = (co_await connect(kBackground, {"127.0.0.1", listener->port()})).value();
    ends.client = co_await tls_connect(scope.context(), std::move(tcp), std::move(client), std::move(host));
    co_await scope.join();
    co_return ends;
}

std::string pattern(std::size_t size) {
    std::string bytes(size, '\0');
    for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<char>((i * 31 + i / 251) & 0xff);
    return bytes;
}

Task<Result<std::string>> read_to_end(Context ctx, Stream* stream, std::size_t piece) {
    std::string all;
    std::vector<char> buffer(piece);
    for (;;) {
        GANTRY_CO_TRY(const std::size_t count, co_await stream->read_some(ctx, buffer));
        if (count == 0) co_return all;
        all.append(buffer.data(), count);
    }
}

Task<void> send_and_finish(Context ctx, Stream* stream, std::string_view bytes) {
    const std::string_view pieces[] = {bytes.substr(0, 100), {}, bytes.substr(100, 40'000), bytes.substr(40'100)};
    auto written = co_await stream->write_pieces(ctx, pieces);
    EXPECT_TRUE(written) << written.error().to_string();
    EXPECT_TRUE(co_await stream->shutdown_write(ctx));
    EXPECT_TRUE(co_await stream->shutdown_write(ctx)) << "twice is fine";
}

Task<void> read_and_compare(Context ctx, Stream* stream, std::string_view expected, std::size_t piece) {
    auto got = co_await read_to_end(ctx, stream, piece);
    EXPECT_TRUE(got) << got.error().to_string();
    EXPECT_TRUE(got && *got == expected);
}

Task<void> happy(std::string host) {
    Ends ends = co_await shake(server_tls(), client_tls(), host);
    EXPECT_TRUE(ends.client) << ends.client.error().to_string();
    EXPECT_TRUE(ends.server) << ends.server.error().to_string();
    if (!ends.client || !ends.server) co_return;
    EXPECT_EQ((*ends.client)->alpn(), "http/1.1");
    EXPECT_EQ((*ends.server)->alpn(), "http/1.1");
    EXPECT_EQ((*ends.client)->version(), "TLSv1.3");
    EXPECT_EQ((*ends.server)->tcp().peer_address(), "127.0.0.1");

    const std::string there = pattern(5u << 20), back = pattern(3u << 20);
    Scope scope(kBackground.within(seconds(60)));
    scope.spawn(send_and_finish(scope.context(), ends.client->get(), there));
    scope.spawn(send_and_finish(scope.context(), ends.server->get(), back));
    scope.spawn(read_and_compare(scope.context(), ends.client->get(), back, 100'000));
    scope.spawn(read_and_compare(scope.context(), ends.server->get(), there, 1000));
    co_await scope.join();
}

TEST(TlsStream, CarriesLargeTransfersBothWaysAtOnce) {
    Loop loop;
    loop.run_until_done(happy("localhost"));
}

TEST(TlsStream, AcceptsACertificateForAnAddress) {
    Loop loop;
    loop.run_until_done(happy("127.0.0.1"));
}

Ends shake_once(ServerTls server, ClientTls client, const std::string& host) {
    Loop loop;
    auto ends = loop.run_until_done(shake(std::move(server), std::move(client), host));
    // Streams belong to the loop; only the results leave it.
    Ends verdicts;
    if (!ends.client) verdicts.client = fail(ends.client.error());
    if (!ends.server) verdicts.server = fail(ends.server.error());
    return verdicts;
}

void expect_refused(const Ends& ends, const std::string& reason) {
    ASSERT_FALSE(ends.client);
    EXPECT_EQ(ends.client.error().code(), ErrorCode::kConnection);
    EXPECT_FALSE(ends.client.error().retryable());
    EXPECT_NE(ends.client.error().message().find(reason), std::string::npos) << ends.client.error().message();
    EXPECT_FALSE(ends.server);
}

TEST(TlsStream, RefusesAnotherHostsCertificate) {
    expect_refused(shake_once(server_tls({"other.example"}), client_tls(), "localhost"), "hostname mismatch");
    expect_refused(shake_once(server_tls({"localhost"}), client_tls(), "127.0.0.1"), "IP address mismatch");
}

TEST(TlsStream, RefusesAnUnknownAuthority) {
    const TestAuthority other("Other CA");
    auto client = TlsClientContext::make({.roots = {.text = other.certificate()}}).value();
    expect_refused(shake_once(server_tls(), client, "localhost"), "certificate of 'localhost' refused");
    expect_refused(shake_once(server_tls(), TlsClientContext::make().value(), "localhost"), "refused");
}

TEST(TlsStream, RefusesAnExpiredCertificate) {
    auto server = TlsServerContext::make(server_options(authority().issue({"localhost"}, true))).value();
    expect_refused(shake_once(server, client_tls(), "localhost"), "expired");
}

Task<void> unverified() {
    auto client = TlsClientContext::make({.verify = false}).value();
    Ends ends = co_await shake(server_tls({"other.example"}), client, "localhost");
    EXPECT_TRUE(ends.client);
}

TEST(TlsStream, TakesAnythingOnlyWhenToldTo) {
    Loop loop;
    loop.run_until_done(unverified());
}

TEST(TlsStream, RefusesAClientThatSpeaksAnotherProtocol) {
    auto client = TlsClientContext::make({.roots = {.text = authority().certificate()}, .alpn = {"h2"}}).value();
    const Ends ends = shake_once(server_tls(), client, "localhost");
    EXPECT_FALSE(ends.client);
    EXPECT_FALSE(ends.server);
}

Task<void> early_close(bool with_goodbye) {
    Ends ends = co_await shake(server_tls(), client_tls(), "localhost");
    EXPECT_TRUE(co_await (*ends.server)->write(kBackground, "part"));
    if (with_goodbye) {
        EXPECT_TRUE(co_await (*ends.server)->shutdown_write(kBackground));
    }
    (*ends.server)->close();
    auto got = co_await read_to_end(kBackground, ends.client->get(), 100);
    EXPECT_EQ(got.has_value(), with_goodbye);
    if (!got) {
        EXPECT_EQ(got.error().code(), ErrorCode::kConnection);
        EXPECT_NE(got.error().message().find("close_notify"), std::string::npos);
    }
    std::array<char, 4> buffer;
    EXPECT_EQ((co_await (*ends.client)->read_some(kBackground, buffer)).has_value(), with_goodbye);
    EXPECT_FALSE(co_await (*ends.server)->write(kBackground, "more"));
}

TEST(TlsStream, TellsACutConnectionFromAFinishedOne) {
    Loop loop;
    loop.run_until_done(early_close(false));
    loop.run_until_done(early_close(true));
}

Task<void> waits() {
    Ends ends = co_await shake(server_tls(), client_tls(), "localhost");
    TlsStream& client = **ends.client;
    TlsStream& server = **ends.server;
    std::array<char, 16> buffer;
    EXPECT_EQ((co_await server.read_some(kBackground.within(milliseconds(1)), buffer)).error().code(),
              ErrorCode::kTimeout);
    EXPECT_TRUE(co_await client.write(kBackground, "still works"));
    EXPECT_EQ((co_await server.read_some(kBackground, buffer)).value(), 11u);
    EXPECT_EQ((co_await server.wait_for_disconnect(kBackground.within(milliseconds(1)))).error().code(),
              ErrorCode::kTimeout);
    // The peer does not read: the write blocks until its deadline, and the stream is unusable after that.
    const std::string flood = pattern(64u << 20);
    EXPECT_EQ((co_await server.write(kBackground.within(milliseconds(20)), flood)).error().code(), ErrorCode::kTimeout);
    EXPECT_FALSE(co_await server.write(kBackground, "x"));
    client.close();
    EXPECT_EQ((co_await server.wait_for_disconnect(kBackground)).error().code(), ErrorCode::kConnection);
}

TEST(TlsStream, KeepsDeadlines) {
    Loop loop;
    loop.run_until_done(waits());
}

Task<void> handshake_fails() {
    auto listener = TcpListener::listen(Loop::current(), {}).value();
    auto tcp = (co_await connect(kBackground, {"127.0.0.1", listener->port()})).value();
    auto peer = (co_await listener->accept(kBackground)).value();
    auto silent = co_await tls_connect(kBackground.within(milliseconds(1)), std::move(tcp), client_tls(), "localhost");
    EXPECT_EQ(silent.error().code(), ErrorCode::kTimeout);

    tcp = (co_await connect(kBackground, {"127.0.0.1", listener->port()})).value();
    peer = (co_await listener->accept(kBackground)).value();
    EXPECT_TRUE(co_await peer->write(kBackground, "HTTP/1.1 400 Bad Request\r\n\r\n"));
    EXPECT_EQ((co_await tls_connect(kBackground, std::move(tcp), client_tls(), "localhost")).error().code(),
              ErrorCode::kConnection);

    tcp = (co_await connect(kBackground, {"127.0.0.1", listener->port()})).value();
    peer = (co_await listener->accept(kBackground)).value();
    peer->close();
    EXPECT_EQ((co_await tls_connect(kBackground, std::move(tcp), client_tls(), "localhost")).error().code(),
              ErrorCode::kConnection);

    tcp = (co_await connect(kBackground, {"127.0.0.1", listener->port()})).value();
    EXPECT_EQ((co_await tls_connect(kBackground, std::move(tcp), client_tls(), "")).error().code(),
              ErrorCode::kInvalidArgument);
}

TEST(TlsStream, EndsAHandshakeWithASilentPlainOrVanishingPeer) {
    Loop loop;
    loop.run_until_done(handshake_fails());
}

Task<void> resumes() {
    auto listener = TcpListener::listen(Loop::current(), {}).value();
    const ServerTls server = server_tls();
    const ClientTls client = client_tls();
    std::array<char, 4> buffer;
    for (int round = 0; round < 3; ++round) {
        Ends ends = co_await shake(server, client, "localhost", listener.get());
        EXPECT_EQ((*ends.client)->resumed(), round > 0);
        // The ticket arrives with the first bytes read.
        EXPECT_TRUE(co_await (*ends.server)->write(kBackground, "x"));
        EXPECT_EQ((co_await (*ends.client)->read_some(kBackground, buffer)).value(), 1u);
    }
    Ends other = co_await shake(server, client, "127.0.0.1", listener.get());
    EXPECT_FALSE((*other.client)->resumed()) << "sessions stay with the host they were made for";
}

TEST(TlsStream, ResumesSessionsOfTheSameHost) {
    Loop loop;
    loop.run_until_done(resumes());
}

Task<void> client_certificates() {
    const TestCertificate leaf = authority().issue({"localhost"});
    TlsServerOptions options = server_options(leaf);
    options.client_roots.text = authority().certificate();
    const ServerTls server = TlsServerContext::make(options).value();
    const TestCertificate mine = authority().issue({"client"});
    auto with = TlsClientContext::make({.roots = {.text = authority().certificate()},
                                        .certificate = {.text = mine.certificate},
                                        .key = {.text = mine.key}})
                    .value();
    Ends good = co_await shake(server, with, "localhost");
    EXPECT_TRUE(good.client && good.server);
    Ends bad = co_await shake(server, client_tls(), "localhost");
    EXPECT_FALSE(bad.server);
    // TLS 1.3 clients detect it with the first read.
    if (bad.client) {
        std::array<char, 4> buffer;
        EXPECT_EQ((co_await (*bad.client)->read_some(kBackground, buffer)).error().code(), ErrorCode::kConnection);
    }
}

TEST(TlsStream, ShowsAndDemandsClientCertificates) {
    Loop loop;
    loop.run_until_done(client_certificates());
}

TEST(TlsContext, RefusesUnusableFilesWithTheirNames) {
    const TestCertificate leaf = authority().issue({"localhost"});
    const TestCertificate other = authority().issue({"localhost"});
    auto code = [](const TlsServerOptions& options) { return TlsServerContext::make(options).error().code(); };
    EXPECT_EQ(code({}), ErrorCode::kInvalidArgument);
    EXPECT_EQ(code({.certificate = {.text = "rubbish"}, .key = {.text = leaf.key}}), ErrorCode::kParse);
    EXPECT_EQ(code({.certificate = {.text = leaf.certificate}, .key = {.text = "rubbish"}}), ErrorCode::kParse);
    EXPECT_EQ(code({.certificate = {.text = leaf.certificate}, .key = {.text = other.key}}),
              ErrorCode::kInvalidArgument);
    EXPECT_EQ(code({.certificate = {.text = leaf.certificate + "-----BEGIN CERTIFICATE-----\nAAAA\n"},
                    .key = {.text = leaf.key}}),
              ErrorCode::kParse);
    const auto missing = TlsClientContext::make({.roots = {.file = "/nonexistent/ca.pem"}});
    ASSERT_FALSE(missing);
    EXPECT_NE(missing.error().message().find("/nonexistent/ca.pem"), std::string::npos);
    EXPECT_EQ(TlsClientContext::make({.certificate = {.text = leaf.certificate}}).error().code(),
              ErrorCode::kInvalidArgument);
    EXPECT_EQ(TlsClientContext::make({.alpn = {""}}).error().code(), ErrorCode::kInvalidArgument);
}

Task<void> serve(TcpListener* listener, ServerTls tls, int connections) {
    for (int i = 0; i < connections; ++i) {
        auto stream = (co_await tls_accept(kBackground, (co_await listener->accept(kBackground)).value(), tls)).value();
        EXPECT_TRUE(co_await stream->write(kBackground, pattern(200'000)));
        EXPECT_TRUE(co_await stream->shutdown_write(kBackground));
        EXPECT_EQ((co_await read_to_end(kBackground, stream.get(), 100)).value(), "");
    }
}

Task<void> download(std::uint16_t port, ClientTls tls, int connections) {
    for (int i = 0; i < connections; ++i) {
        auto tcp = (co_await connect(kBackground, {"127.0.0.1", port})).value();
        auto stream = (co_await tls_connect(kBackground, std::move(tcp), tls, "localhost")).value();
        EXPECT_EQ((co_await read_to_end(kBackground, stream.get(), 64u << 10)).value(), pattern(200'000));
        EXPECT_TRUE(co_await stream->shutdown_write(kBackground));
    }
}

TEST(TlsContext, ServesSeveralThreadsAtOnce) {
    const ServerTls server = server_tls();
    const ClientTls client = client_tls();
    Loop loops[2];
    std::vector<std::jthread> threads;
    for (Loop& loop : loops) {
        auto* listener = TcpListener::listen(loop, {}).value().release();
        const std::uint16_t port = listener->port();
        threads.emplace_back([&loop, listener, server] {
            const std::unique_ptr<TcpListener> owner(listener);
            loop.run_until_done(serve(listener, server, 5));
        });
        threads.emplace_back([port, client] {
            Loop mine;
            mine.run_until_done(download(port, client, 5));
        });
    }
}

}  // namespace
}  // namespace gantry::net
