// Establishing connections; I/O on them is tested in tcp_test.cpp.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "io/fd.hpp"
#include "io/net/tcp_test_support.hpp"

namespace gantry::net {
namespace {

using namespace testing;

/// A port without listener: bound, but never listening.
class DeadPort {
public:
    DeadPort() : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof address;
        EXPECT_EQ(::bind(fd_.get(), reinterpret_cast<sockaddr*>(&address), size), 0);
        EXPECT_EQ(::getsockname(fd_.get(), reinterpret_cast<sockaddr*>(&address), &size), 0);
        port = ntohs(address.sin_port);
    }

    std::uint16_t port = 0;

private:
    Fd fd_;
};

Task<void> refused() {
    const DeadPort dead;
    auto stream = co_await connect(kBackground, {"127.0.0.1", dead.port});
    EXPECT_FALSE(stream);
    if (!stream) {
        EXPECT_EQ(stream.error().code(), ErrorCode::kConnection);
        EXPECT_TRUE(stream.error().retryable());
    }
    EXPECT_EQ((co_await connect(kBackground, {"localhost", dead.port})).error().code(), ErrorCode::kInvalidArgument);
    EXPECT_EQ((co_await connect(Context(Deadline(TimePoint::min()), {}), {"127.0.0.1", dead.port})).error().code(),
              ErrorCode::kTimeout);
}

TEST(Connect, SaysRefusedAsConnectionError) {
    Loop loop;
    loop.run_until_done(refused());
}

/// A listener whose queue is full: further connects hang in SYN.
Task<void> hanging_connect() {
    auto listener = TcpListener::listen(Loop::current(), {.backlog = 0}).value();
    std::vector<std::unique_ptr<TcpStream>> fillers;
    ErrorCode code = ErrorCode::kInternal;
    for (int i = 0; i < 64; ++i) {
        auto stream = co_await connect(kBackground.within(milliseconds(50)), {"127.0.0.1", listener->port()});
        if (!stream) {
            code = stream.error().code();
            break;
        }
        fillers.push_back(*std::move(stream));
    }
    EXPECT_EQ(code, ErrorCode::kTimeout);

    // The next address is tried although the first one does not answer.
    Pair good;
    good.listener = TcpListener::listen(Loop::current(), {}).value();
    auto stream =
        co_await connect_any(kBackground, {{"127.0.0.1", listener->port()}, {"127.0.0.1", good.listener->port()}});
    EXPECT_TRUE(stream);
    if (stream) {
        EXPECT_EQ((*stream)->peer_port(), good.listener->port());
    }
}

TEST(Connect, TimesOutOnASilentPeerAndConnectAnyPassesItBy) {
    Loop loop;
    loop.run_until_done(hanging_connect());
}

Task<void> any_cases() {
    const DeadPort one, two;
    auto listener = TcpListener::listen(Loop::current(), {}).value();
    auto stream = co_await connect_any(
        kBackground, {{"127.0.0.1", one.port}, {"127.0.0.1", two.port}, {"127.0.0.1", listener->port()}});
    EXPECT_TRUE(stream);
    auto none = co_await connect_any(kBackground, {{"127.0.0.1", one.port}, {"127.0.0.1", two.port}});
    EXPECT_FALSE(none);
    if (!none) {
        EXPECT_NE(none.error().message().find(std::to_string(one.port)), std::string::npos);
    }
    EXPECT_FALSE(co_await connect_any(kBackground, {}));
}

TEST(Connect, AnyTakesTheFirstThatAnswers) {
    Loop loop;
    loop.run_until_done(any_cases());
}

Task<void> accept_ends() {
    auto listener = TcpListener::listen(Loop::current(), {}).value();
    EXPECT_EQ((co_await listener->accept(kBackground.within(milliseconds(1)))).error().code(), ErrorCode::kTimeout);
    CancelSource source;
    source.cancel();
    EXPECT_EQ((co_await listener->accept(kBackground.stopped_by(source))).error().code(), ErrorCode::kCancelled);
    Loop::current().post([&] { listener->close(); });
    EXPECT_EQ((co_await listener->accept(kBackground)).error().code(), ErrorCode::kConnection);
}

TEST(TcpListener, EndsAcceptOnTimeoutCancelAndClose) {
    Loop loop;
    loop.run_until_done(accept_ends());
}

TEST(TcpListener, RefusesAForeignHostAndATakenPort) {
    Loop loop;
    EXPECT_EQ(TcpListener::listen(loop, {.host = "no such host"}).error().code(), ErrorCode::kInvalidArgument);
    EXPECT_EQ(TcpListener::listen(loop, {.host = ""}).error().code(), ErrorCode::kInvalidArgument);
    auto first = TcpListener::listen(loop, {}).value();
    EXPECT_EQ(TcpListener::listen(loop, {.port = first->port()}).error().code(), ErrorCode::kConnection);
}

Task<void> out_of_descriptors() {
    auto listener = TcpListener::listen(Loop::current(), {}).value();
    auto client = (co_await connect(kBackground, {"127.0.0.1", listener->port()})).value();
    rlimit old{};
    ::getrlimit(RLIMIT_NOFILE, &old);
    const int probe = Fd(::open("/dev/null", O_RDONLY | O_CLOEXEC)).get();  // the lowest free number, closed again
    const rlimit tight{static_cast<rlim_t>(probe), old.rlim_max};
    ::setrlimit(RLIMIT_NOFILE, &tight);
    auto starved = co_await listener->accept(kBackground.within(milliseconds(30)));
    ::setrlimit(RLIMIT_NOFILE, &old);
    EXPECT_EQ(starved.error().code(), ErrorCode::kTimeout) << "it waits instead of failing";
    EXPECT_TRUE(co_await listener->accept(kBackground));
}

TEST(TcpListener, WaitsOutDescriptorExhaustion) {
#if __has_feature(undefined_behavior_sanitizer)
    GTEST_SKIP() << "without descriptors UBSan cannot look at memory and reports objects that are fine";
#endif
    Loop loop;
    loop.run_until_done(out_of_descriptors());
}

TEST(TcpListener, SharesAPortBetweenLoops) {
    Loop first, second;
    auto one = TcpListener::listen(first, {.reuse_port = true}).value();
    auto two = TcpListener::listen(second, {.port = one->port(), .reuse_port = true});
    ASSERT_TRUE(two) << two.error().to_string();
    EXPECT_EQ((*two)->port(), one->port());
}

}  // namespace
}  // namespace gantry::net
