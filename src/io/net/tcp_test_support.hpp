#pragma once
// Shared by the tests of TCP.

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <string>

#include "io/loop.hpp"
#include "io/net/tcp.hpp"
#include "io/scope.hpp"

namespace gantry::net::testing {

inline const Context kBackground = Context::background();

struct Pair {
    std::unique_ptr<TcpListener> listener;
    std::unique_ptr<TcpStream> client, server;
};

inline Task<void> accept_into(Context ctx, TcpListener* listener, std::unique_ptr<TcpStream>* into) {
    auto accepted = co_await listener->accept(ctx);
    EXPECT_TRUE(accepted) << accepted.error().to_string();
    if (accepted) *into = *std::move(accepted);
}

inline Task<Pair> connected_pair() {
    Pair pair;
    pair.listener = TcpListener::listen(Loop::current(), {}).value();
    Scope scope(kBackground);
    scope.spawn(accept_into(scope.context(), pair.listener.get(), &pair.server));
    pair.client = (co_await connect(kBackground, {"127.0.0.1", pair.listener->port()})).value();
    co_await scope.join();
    co_return pair;
}

inline Task<std::string> read_to_end(Context ctx, Stream* stream) {
    std::string all;
    std::array<char, 7000> buffer;
    for (;;) {
        auto count = co_await stream->read_some(ctx, buffer);
        EXPECT_TRUE(count) << count.error().to_string();
        if (!count || *count == 0) co_return all;
        all.append(buffer.data(), *count);
    }
}

inline Task<void> echo(Context ctx, Stream* stream) {
    std::array<char, 16384> buffer;
    for (;;) {
        auto count = co_await stream->read_some(ctx, buffer);
        EXPECT_TRUE(count) << count.error().to_string();
        if (!count || *count == 0) break;
        EXPECT_TRUE(co_await stream->write(ctx, {buffer.data(), *count}));
    }
    EXPECT_TRUE(co_await stream->shutdown_write(ctx));
}

inline Task<void> send_and_finish(Context ctx, Stream* stream, std::string_view bytes) {
    EXPECT_TRUE(co_await stream->write(ctx, bytes));
    EXPECT_TRUE(co_await stream->shutdown_write(ctx));
}

inline std::string pattern(std::size_t size) {
    std::string bytes(size, '\0');
    for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<char>((i * 31 + i / 251) & 0xff);
    return bytes;
}

}  // namespace gantry::net::testing
