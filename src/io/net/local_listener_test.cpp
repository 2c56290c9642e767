#include "io/net/local_listener.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "io/loop.hpp"
#include "io/net/tcp.hpp"

namespace gantry::net {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<LocalListener> on_port(std::uint16_t port) {
    auto all = listeners_seen_by(getpid()).value();
    std::erase_if(all, [port](const LocalListener& listener) { return listener.port != port; });
    return all;
}

TEST(LocalListeners, AreFoundByPortWithAddressAndInodeUntilTheyClose) {
    Loop loop;
    auto listener = TcpListener::listen(loop, {}).value();
    const std::uint16_t port = listener->port();
    const auto found = on_port(port);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].address, "127.0.0.1");
    EXPECT_EQ(found[0].text(), "127.0.0.1:" + std::to_string(port));
    bool ours = false;
    for (int fd = 0; fd < 1024 && !ours; ++fd) {
        struct stat info{};
        ours = fstat(fd, &info) == 0 && S_ISSOCK(info.st_mode) && info.st_ino == found[0].inode;
    }
    EXPECT_TRUE(ours) << "the inode is that of the listening socket";
    listener->close();
    EXPECT_THAT(on_port(port), IsEmpty());
}

TEST(LocalListeners, OfIpv6AreFoundToo) {
    Loop loop;
    auto listener = TcpListener::listen(loop, {.host = "::1"});
    if (!listener) GTEST_SKIP() << "no IPv6: " << listener.error().to_string();
    const auto found = on_port((*listener)->port());
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].address, "::1");
    EXPECT_TRUE(found[0].text().starts_with("[::1]:"));
}

TEST(LocalListeners, AreReachedOverLoopbackWhereTheyCanBe) {
    const auto reached = [](std::string address) { return LocalListener{.address = std::move(address)}.reached_at(); };
    EXPECT_THAT(reached("0.0.0.0"), ElementsAre("127.0.0.1"));
    EXPECT_THAT(reached("127.0.0.2"), ElementsAre("127.0.0.2"));
    EXPECT_THAT(reached("::"), ElementsAre("127.0.0.1", "::1"));
    EXPECT_THAT(reached("::1"), ElementsAre("::1"));
    EXPECT_THAT(reached("::ffff:127.0.0.1"), ElementsAre("127.0.0.1"));
    EXPECT_THAT(reached("192.0.2.1"), IsEmpty());
    EXPECT_THAT(reached("2001:db8::1"), IsEmpty());
}

TEST(LocalListeners, AFreePortCanBeListenedOn) {
    Loop loop;
    const auto port = find_free_port();
    ASSERT_TRUE(port) << port.error().to_string();
    EXPECT_THAT(on_port(*port), IsEmpty());
    EXPECT_TRUE(TcpListener::listen(loop, {.port = *port}));
}

}  // namespace
}  // namespace gantry::net
