#include "io/net/tcp.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <thread>

#include "io/net/tcp_test_support.hpp"

namespace gantry::net {
namespace {

using namespace testing;

Task<void> large_echo() {
    Pair pair = co_await connected_pair();
    EXPECT_EQ(pair.server->peer_address(), "127.0.0.1");
    EXPECT_EQ(pair.client->peer_port(), pair.listener->port());
    const std::string bytes = pattern(8u << 20);
    Scope scope(kBackground);
    scope.spawn(echo(scope.context(), pair.server.get()));
    scope.spawn(send_and_finish(scope.context(), pair.client.get(), bytes));
    const std::string back = co_await read_to_end(kBackground, pair.client.get());
    EXPECT_TRUE(back == bytes) << "got " << back.size() << " bytes";
    co_await scope.join();
}

TEST(TcpStream, EchoesLargeTransfersBothWaysWithHalfClose) {
    Loop loop;
    loop.run_until_done(large_echo());
}

Task<void> gathered() {
    Pair pair = co_await connected_pair();
    std::vector<std::string> storage;
    for (int i = 0; i < 50; ++i) storage.push_back(pattern(static_cast<std::size_t>(i * i * 97 % 5000)));
    std::string expected;
    std::vector<std::string_view> pieces;
    for (const std::string& piece : storage) {
        expected += piece;
        pieces.push_back(piece);
    }
    EXPECT_TRUE(co_await pair.client->write_pieces(kBackground, pieces));
    EXPECT_TRUE(co_await pair.client->shutdown_write(kBackground));
    EXPECT_TRUE(co_await read_to_end(kBackground, pair.server.get()) == expected);
}

TEST(TcpStream, SendsManyPiecesInOrderSkippingEmptyOnes) {
    Loop loop;
    loop.run_until_done(gathered());
}

Task<ErrorCode> read_code(Context ctx, Stream* stream) {
    std::array<char, 16> buffer;
    auto count = co_await stream->read_some(ctx, buffer);
    co_return count ? ErrorCode::kInternal : count.error().code();
}

Task<void> store_read_code(Context ctx, Stream* stream, ErrorCode* code) {
    *code = co_await read_code(ctx, stream);
}

Task<void> read_ends() {
    Pair pair = co_await connected_pair();
    EXPECT_EQ(co_await read_code(kBackground.within(milliseconds(1)), pair.client.get()), ErrorCode::kTimeout);

    CancelSource source;
    Scope scope(kBackground);
    ErrorCode code = ErrorCode::kInternal;
    scope.spawn(store_read_code(kBackground.stopped_by(source), pair.client.get(), &code));
    co_await yield_now();
    co_await yield_now();
    source.cancel();
    co_await scope.join();
    EXPECT_EQ(code, ErrorCode::kCancelled);

    // The stream is usable after both.
    EXPECT_TRUE(co_await pair.server->write(kBackground, "x"));
    std::array<char, 16> buffer;
    EXPECT_EQ((co_await pair.client->read_some(kBackground, buffer)).value(), 1u);

    scope.spawn(store_read_code(kBackground, pair.client.get(), &code));
    co_await yield_now();
    co_await yield_now();
    pair.client->close();
    pair.client->close();
    co_await scope.join();
    EXPECT_EQ(code, ErrorCode::kConnection);
    EXPECT_EQ(co_await read_code(kBackground, pair.client.get()), ErrorCode::kConnection);
    EXPECT_EQ((co_await pair.client->write(kBackground, "x")).error().code(), ErrorCode::kConnection);
}

TEST(TcpStream, EndsReadsOnTimeoutCancelAndClose) {
    Loop loop;
    loop.run_until_done(read_ends());
}

Task<void> blocked_write() {
    Pair pair = co_await connected_pair();
    const std::string bytes = pattern(64u << 20);
    auto written = co_await pair.client->write(kBackground.within(milliseconds(20)), bytes);
    EXPECT_FALSE(written);
    if (!written) {
        EXPECT_EQ(written.error().code(), ErrorCode::kTimeout);
    }
}

TEST(TcpStream, EndsABlockedWriteOnTimeout) {
    Loop loop;
    loop.run_until_done(blocked_write());
}

Task<void> store_write(Context ctx, Stream* stream, std::string_view bytes, bool* ok) {
    *ok = (co_await stream->write(ctx, bytes)).has_value();
}

Task<void> read_timeout_leaves_writes() {
    Pair pair = co_await connected_pair();
    const std::string bytes = pattern(32u << 20);
    bool written = false;
    Scope scope(kBackground);
    scope.spawn(store_write(scope.context(), pair.client.get(), bytes, &written));
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(co_await read_code(kBackground.within(milliseconds(1)), pair.client.get()), ErrorCode::kTimeout);
        EXPECT_FALSE(written);
    }
    std::size_t total = 0;
    std::vector<char> buffer(1u << 20);
    while (total < bytes.size()) total += (co_await pair.server->read_some(kBackground, buffer)).value();
    co_await scope.join();
    EXPECT_TRUE(written);
}

TEST(TcpStream, ATimedOutReadDoesNotDisturbAPendingWrite) {
    Loop loop;
    loop.run_until_done(read_timeout_leaves_writes());
}

Task<void> reset_by_peer() {
    Pair pair = co_await connected_pair();
    const linger hard{1, 0};
    ::setsockopt(pair.server->native_handle(), SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
    pair.server->close();
    EXPECT_EQ(co_await read_code(kBackground, pair.client.get()), ErrorCode::kConnection);
    EXPECT_EQ((co_await pair.client->write(kBackground, "x")).error().code(), ErrorCode::kConnection);
}

TEST(TcpStream, ReportsAResetAndRaisesNoSignal) {
    Loop loop;
    loop.run_until_done(reset_by_peer());
}

Task<void> tries() {
    Pair pair = co_await connected_pair();
    std::array<char, 4> buffer;
    EXPECT_EQ(pair.client->try_read(buffer).value(), std::nullopt);
    EXPECT_EQ(pair.server->try_write("hello").value(), 5u);
    std::string got;
    got.append(buffer.data(), (co_await pair.client->read_some(kBackground, buffer)).value());
    got.append(buffer.data(), pair.client->try_read(buffer).value().value_or(0));
    EXPECT_EQ(got, "hello");
    std::string flood = pattern(1u << 20);
    std::size_t taken = 0;
    while (const std::size_t more = pair.server->try_write(flood).value()) taken += more;
    EXPECT_GT(taken, 0u);
    pair.server->close();
    EXPECT_FALSE(pair.server->try_write("x"));
    EXPECT_FALSE(pair.server->try_read(buffer));
}

TEST(TcpStream, TriesWithoutWaiting) {
    Loop loop;
    loop.run_until_done(tries());
}

Task<void> store_disconnect(Context ctx, Stream* stream, ErrorCode* code) {
    *code = (co_await stream->wait_for_disconnect(ctx)).error().code();
}

Task<void> disconnect(bool with_unread_bytes) {
    Pair pair = co_await connected_pair();
    EXPECT_EQ((co_await pair.server->wait_for_disconnect(kBackground.within(milliseconds(1)))).error().code(),
              ErrorCode::kTimeout);
    ErrorCode code = ErrorCode::kInternal;
    Scope scope(kBackground);
    if (with_unread_bytes) {
        EXPECT_TRUE(co_await pair.client->write(kBackground, "next request"));
        EXPECT_EQ((co_await pair.server->wait_for_disconnect(kBackground.within(milliseconds(1)))).error().code(),
                  ErrorCode::kTimeout);
    }
    scope.spawn(store_disconnect(scope.context(), pair.server.get(), &code));
    co_await yield_now();
    pair.client->close();
    co_await scope.join();
    EXPECT_EQ(code, ErrorCode::kConnection);
    if (with_unread_bytes) {
        EXPECT_EQ(co_await read_to_end(kBackground, pair.server.get()), "next request") << "nothing is consumed";
    }
}

TEST(TcpStream, NoticesADisconnectWithoutReading) {
    Loop loop;
    loop.run_until_done(disconnect(false));
}

TEST(TcpStream, NoticesADisconnectBehindUnreadBytes) {
    Loop loop;
    loop.run_until_done(disconnect(true));
}

Task<void> echo_server(TcpListener* listener, int connections) {
    Scope scope(kBackground);
    std::vector<std::unique_ptr<TcpStream>> streams;
    for (int i = 0; i < connections; ++i) {
        streams.push_back((co_await listener->accept(kBackground)).value());
        scope.spawn(echo(scope.context(), streams.back().get()));
    }
    co_await scope.join();
}

Task<void> echo_client(Context ctx, std::uint16_t port, int rounds) {
    auto stream = (co_await connect(ctx, {"127.0.0.1", port})).value();
    for (int i = 0; i < rounds; ++i) {
        const std::string message = "message " + std::to_string(i);
        EXPECT_TRUE(co_await stream->write(ctx, message));
        std::string back;
        std::array<char, 64> buffer;
        while (back.size() < message.size()) {
            auto count = co_await stream->read_some(ctx, buffer);
            EXPECT_TRUE(count && *count > 0);
            if (!count || *count == 0) co_return;
            back.append(buffer.data(), *count);
        }
        EXPECT_EQ(back, message);
    }
    EXPECT_TRUE(co_await stream->shutdown_write(ctx));
    EXPECT_EQ(co_await read_to_end(ctx, stream.get()), "");
}

Task<void> echo_clients(std::uint16_t port, int count) {
    Scope scope(kBackground.within(seconds(60)));
    for (int i = 0; i < count; ++i) scope.spawn(echo_client(scope.context(), port, 50));
    co_await scope.join();
}

TEST(TcpStream, ServesManyConnectionsAcrossTwoLoops) {
    Loop server;
    auto listener = TcpListener::listen(server, {}).value();
    const std::uint16_t port = listener->port();
    std::jthread client([port] {
        Loop loop;
        loop.run_until_done(echo_clients(port, 20));
    });
    server.run_until_done(echo_server(listener.get(), 20));
}

Task<void> leave_reading(Context ctx, Stream* stream) {
    (void)co_await read_code(ctx, stream);
}

Task<void> leave_pending(Scope* scope, Pair* into) {
    *into = co_await connected_pair();
    scope->spawn(leave_reading(scope->context().within(seconds(3600)), into->client.get()));
    co_await yield_now();
    co_await yield_now();
}

TEST(TcpStream, MayStillBePendingWhenTheLoopGoes) {
    auto loop = std::make_unique<Loop>();
    auto scope = std::make_shared<Scope>(kBackground);
    auto pair = std::make_shared<Pair>();
    loop->run_until_done(leave_pending(scope.get(), pair.get()));
    loop->post([scope = std::move(scope), pair = std::move(pair)] {});
    loop.reset();
}

}  // namespace
}  // namespace gantry::net
