#include "app/config/isolation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/config/config.hpp"

namespace gantry::app {
namespace {

using gateway::HomeFolder;
using gateway::Isolation;
using gateway::IsolationLevel;
using gateway::NetworkAccess;
using testing::ElementsAre;
using testing::HasSubstr;

Isolation read(const std::string& isolation) {
    auto config = parse_config("servers: [{name: a, command: x, isolation: " + isolation + "}]\n", "t.yaml");
    EXPECT_TRUE(config) << (config ? "" : config.error().message());
    return config ? config->servers.at(0).isolation : Isolation();
}

std::string fault(const std::string& isolation) {
    auto config = parse_config("servers: [{name: a, command: x, isolation: " + isolation + "}]\n", "t.yaml");
    return config ? "" : config.error().message();
}

TEST(IsolationConfig, IsStandardUnlessItSaysOtherwise) {
    const auto config = parse_config("servers: [{name: a, command: x}]\n", "t.yaml");
    ASSERT_TRUE(config);
    EXPECT_EQ(config->servers.at(0).isolation.level, IsolationLevel::kStandard);
    EXPECT_EQ(read("{memory: 1GB}").level, IsolationLevel::kStandard);
}

TEST(IsolationConfig, IsAWordOrAMapWithDetails) {
    EXPECT_EQ(read("off").level, IsolationLevel::kOff);
    EXPECT_EQ(read("standard").level, IsolationLevel::kStandard);
    EXPECT_EQ(read("strict").level, IsolationLevel::kStrict);
    const Isolation all = read(
        "{level: strict, network: [example.com, '*.example.org:8443'], read: [/srv/a, ~/b], write: /srv/c, env: "
        "[EDITOR],"
        " home: host, gateway: true, memory: 512MB, processes: 64}");
    EXPECT_EQ(all.level, IsolationLevel::kStrict);
    EXPECT_EQ(all.network, NetworkAccess::kListed);
    EXPECT_THAT(all.hosts, ElementsAre("example.com", "*.example.org:8443"));
    EXPECT_THAT(all.read, ElementsAre("/srv/a", "~/b"));
    EXPECT_THAT(all.write, ElementsAre("/srv/c"));
    EXPECT_THAT(all.env, ElementsAre("EDITOR"));
    EXPECT_EQ(all.home, HomeFolder::kHost);
    EXPECT_TRUE(all.gateway);
    EXPECT_FALSE(read("standard").gateway);
    EXPECT_EQ(all.memory, std::size_t{512} << 20);
    EXPECT_EQ(all.processes, 64u);
}

TEST(IsolationConfig, TheNetworkIsOpenNoneOrAList) {
    EXPECT_EQ(read("{level: strict}").network, std::nullopt);
    EXPECT_EQ(read("{network: open}").network, NetworkAccess::kOpen);
    EXPECT_EQ(read("{network: none}").network, NetworkAccess::kNone);
    EXPECT_EQ(read("{network: []}").network, NetworkAccess::kNone);
}

TEST(IsolationConfig, SaysWhatIsWrong) {
    EXPECT_THAT(fault("tight"), HasSubstr("servers[0].isolation: expected"));
    EXPECT_THAT(fault("{leve: strict}"), HasSubstr("did you mean 'level'?"));
    EXPECT_THAT(fault("{network: ['https://example.com/']}"), HasSubstr("a list of host names"));
    EXPECT_THAT(fault("{read: [relative]}"), HasSubstr("begin with / or ~/"));
    EXPECT_THAT(fault("{env: [AWS_SECRET_ACCESS_KEY]}"), HasSubstr("credentials are not passed on by name"));
    EXPECT_THAT(fault("{memory: plenty}"), HasSubstr("isolation.memory"));
    const auto remote = parse_config("servers: [{name: a, url: 'http://x', isolation: strict}]\n", "t.yaml");
    ASSERT_FALSE(remote);
    EXPECT_THAT(remote.error().message(), HasSubstr("only for a server with a command"));
}

}  // namespace
}  // namespace gantry::app
