#include "io/net/memory_stream.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>

#include "io/loop.hpp"
#include "io/scope.hpp"

namespace gantry::net {
namespace {

const Context kBackground = Context::background();

Task<std::string> read_to_end(Context ctx, Stream* stream) {
    std::string all;
    std::array<char, 10> buffer;
    for (;;) {
        auto count = co_await stream->read_some(ctx, buffer);
        if (!count || *count == 0) co_return all + (count ? "" : "|broken");
        all.append(buffer.data(), *count);
    }
}

Task<void> write_all(Context ctx, Stream* stream, std::string bytes, bool* done) {
    EXPECT_TRUE(co_await stream->write(ctx, bytes));
    *done = true;
    EXPECT_TRUE(co_await stream->shutdown_write(ctx));
}

Task<void> transfer() {
    auto [left, right] = make_memory_streams(16);
    const std::string bytes(1000, 'x');
    bool done = false;
    Scope scope(kBackground);
    scope.spawn(write_all(scope.context(), left.get(), bytes, &done));
    for (int i = 0; i < 5; ++i) co_await yield_now();
    EXPECT_FALSE(done) << "only 16 bytes fit";
    EXPECT_EQ(co_await read_to_end(kBackground, right.get()), bytes);
    co_await scope.join();
    EXPECT_TRUE(done);
}

TEST(MemoryStream, HoldsTheWriterBackUntilRead) {
    Loop loop;
    loop.run_until_done(transfer());
}

Task<void> ends() {
    auto [left, right] = make_memory_streams(16);
    std::array<char, 4> buffer;
    EXPECT_EQ((co_await left->read_some(kBackground.within(milliseconds(1)), buffer)).error().code(),
              ErrorCode::kTimeout);
    EXPECT_EQ((co_await left->write(kBackground.within(milliseconds(1)), std::string(17, 'x'))).error().code(),
              ErrorCode::kTimeout);
    EXPECT_TRUE(co_await right->write(kBackground, "last"));
    right->close();
    EXPECT_EQ((co_await left->wait_for_disconnect(kBackground)).error().code(), ErrorCode::kConnection);
    EXPECT_EQ(co_await read_to_end(kBackground, left.get()), "last|broken");
    EXPECT_EQ((co_await left->write(kBackground, "x")).error().code(), ErrorCode::kConnection);
    EXPECT_EQ((co_await right->read_some(kBackground, buffer)).error().code(), ErrorCode::kConnection);
    right.reset();
    EXPECT_EQ((co_await left->write(kBackground, "x")).error().code(), ErrorCode::kConnection);
}

TEST(MemoryStream, EndsLikeAConnection) {
    Loop loop;
    loop.run_until_done(ends());
}

}  // namespace
}  // namespace gantry::net
