#include "mcp/transport/memory.hpp"

#include <vector>

#include "io/scope.hpp"
#include "mcp/transport/testing.hpp"

namespace gantry::mcp {
namespace {

using namespace testing;

Task<void> both_ways() {
    auto [client, server] = make_memory_pair();
    const Context ctx = watchdog();
    CO_ASSERT(co_await client->write(ctx, request(1, "ping")));
    CO_ASSERT(co_await server->write(ctx, notification("notifications/x")));
    EXPECT_EQ(text_of(co_await server->read(ctx)), "request 1 ping");
    EXPECT_EQ(text_of(co_await client->read(ctx)), "notification notifications/x");
}
TEST(MemoryPair, CarriesMessagesBothWays) {
    Loop().run_until_done(both_ways());
}

Task<void> close_drains() {
    auto [client, server] = make_memory_pair();
    const Context ctx = watchdog();
    CO_ASSERT(co_await client->write(ctx, request(1, "ping")));
    co_await client->close();
    co_await client->close();
    EXPECT_EQ(text_of(co_await server->read(ctx)), "request 1 ping");
    EXPECT_EQ(text_of(co_await server->read(ctx)), "end");
    EXPECT_EQ(text_of(co_await client->read(ctx)), "end");
    auto written = co_await server->write(ctx, notification("x"));
    CO_ASSERT(!written);
    EXPECT_EQ(written.error().code(), ErrorCode::kConnection);
    EXPECT_TRUE(written.error().fatal());
}
TEST(MemoryPair, ClosingOneEndLetsTheOtherDrainAndThenSeeTheEnd) {
    Loop().run_until_done(close_drains());
}

Task<void> bounded() {
    auto [client, server] = make_memory_pair({.capacity = 2});
    const Context ctx = watchdog();
    CO_ASSERT(co_await client->write(ctx, notification("a")));
    CO_ASSERT(co_await client->write(ctx, notification("b")));
    auto third = co_await client->write(ctx.within(milliseconds(30)), notification("c"));
    CO_ASSERT(!third);
    EXPECT_EQ(third.error().code(), ErrorCode::kTimeout);
    EXPECT_FALSE(third.error().fatal());
    EXPECT_EQ(text_of(co_await server->read(ctx)), "notification a");
    EXPECT_TRUE(co_await client->write(ctx, notification("d")));
}
TEST(MemoryPair, AWriterWaitsForRoom) {
    Loop().run_until_done(bounded());
}

Task<void> read_once(Connection* connection, std::string* out) {
    *out = text_of(co_await connection->read(watchdog()));
}
Task<void> close_wakes() {
    auto [client, server] = make_memory_pair();
    Scope scope(watchdog());
    std::string seen;
    scope.spawn(read_once(client.get(), &seen));
    co_await yield_now();
    co_await yield_now();
    EXPECT_EQ(seen, "");
    co_await client->close();
    co_await scope.join();
    EXPECT_EQ(seen, "end");
}
TEST(MemoryPair, CloseWakesAPendingRead) {
    Loop().run_until_done(close_wakes());
}

Task<void> accepts() {
    std::vector<std::unique_ptr<Connection>> servers;
    std::vector<std::string> seen;
    MemoryTransport transport([&servers](std::unique_ptr<Connection> end) { servers.push_back(std::move(end)); },
                              {.tap = [&seen](const WireEvent& event) { seen.emplace_back(event.text); }});
    auto first = co_await transport.connect(watchdog());
    auto second = co_await transport.connect(watchdog());
    CO_ASSERT(first && second && servers.size() == 2);
    CO_ASSERT(co_await (*second)->write(watchdog(), notification("hello")));
    EXPECT_EQ(text_of(co_await servers[1]->read(watchdog())), "notification hello");
    EXPECT_EQ(seen, std::vector<std::string>{R"({"jsonrpc":"2.0","method":"hello"})"});
}
TEST(MemoryTransport, HandsTheServersEndOver) {
    Loop().run_until_done(accepts());
}

}  // namespace
}  // namespace gantry::mcp
