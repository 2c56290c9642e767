#include "io/net/local_peer.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include "io/loop.hpp"
#include "io/net/tcp_test_support.hpp"

namespace gantry::net {
namespace {

using namespace testing;

Task<void> looking() {
    Pair pair = co_await connected_pair();
    LocalPeers peers;
    EXPECT_TRUE(peers.answers(*pair.server));
    EXPECT_TRUE(is_on_this_machine(*pair.server));
    auto peer = peers.find(*pair.server);
    EXPECT_TRUE(peer);
    if (!peer) co_return;
    EXPECT_TRUE(peer->held);
    EXPECT_EQ(peer->priority, 0u);
    std::uint64_t cookie = 0;
    socklen_t size = sizeof cookie;
    EXPECT_EQ(::getsockopt(pair.client->native_handle(), SOL_SOCKET, SO_COOKIE, &cookie, &size), 0);
    EXPECT_EQ(peer->cookie, cookie);

    const int priority = 5;
    EXPECT_EQ(::setsockopt(pair.client->native_handle(), SOL_SOCKET, SO_PRIORITY, &priority, sizeof priority), 0);
    peer = peers.find(*pair.server);
    EXPECT_EQ(peer.value_or(LocalPeer()).priority, 5u);

    pair.client->close();
    peer = peers.find(*pair.server);
    EXPECT_TRUE(!peer || !peer->held);
}

TEST(LocalPeers, FindsTheOtherEndAndItsPriorityUntilItIsClosed) {
    Loop loop;
    loop.run_until_done(looking());
}

}  // namespace
}  // namespace gantry::net
