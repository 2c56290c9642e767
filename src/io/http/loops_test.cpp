// Loops share nothing: each thread has its server and its client, all on one port.
#include <atomic>
#include <latch>
#include <thread>

#include "io/http/http_test_support.hpp"

namespace gantry::http::testing {
namespace {

constexpr int kCalls = 200;

Task<void> call_often(Loop& loop, std::uint16_t port, std::atomic<int>& answered) {
    const net::EgressGuard guard;
    Client client(loop, guard);
    for (int i = 0; i < kCalls; ++i) {
        Request request;
        request.method = "POST";
        request.url = url_of(port);
        request.body = "x";
        auto response = co_await client.send(patiently(), std::move(request));
        CO_ASSERT_OK(response);
        const auto body = co_await response->read_all(patiently(), 100);
        CO_ASSERT_OK(body);
        if (*body == "POST / x") ++answered;
    }
}

Task<void> call_and_stop(Loop& loop, Server& server, std::atomic<int>& answered, std::latch& finished) {
    co_await call_often(loop, server.port(), answered);
    // Clients of other threads may be connected to this server: it stays until all have their answers.
    finished.count_down();
    for (const Context ctx = patiently(); !finished.try_wait();) {
        if (!co_await sleep_for(ctx, milliseconds(5))) break;
    }
    co_await server.stop(seconds(5));
}

TEST(Loops, SeveralServersOnOnePortAndTheirClients) {
    constexpr int kLoops = 2;
    std::atomic<int> answered = 0;
    std::latch finished(kLoops);
    std::latch ready(1);
    std::uint16_t port = 0;
    const auto work = [&](bool first) {
        if (!first) ready.wait();
        Loop loop;
        Server server(loop, {.port = port, .reuse_port = true}, echo);
        const auto started = server.start();
        if (first) {
            port = server.port();
            ready.count_down();
        }
        ASSERT_TRUE(started) << started.error().to_string();
        loop.run_until_done(call_and_stop(loop, server, answered, finished));
    };
    {
        std::jthread one(work, true);
        std::jthread two(work, false);
    }
    EXPECT_EQ(answered, kLoops * kCalls);
}

}  // namespace
}  // namespace gantry::http::testing
