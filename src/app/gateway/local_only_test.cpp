#include "app/gateway/local_only.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "app/gateway/rate_limited_note.hpp"

namespace gantry::app {
namespace {

TEST(LocalOnly, TakesAddressHostAndForwardingFieldsTogether) {
    const auto local = [](std::string_view peer, const http::Headers& headers) {
        return is_local_request(peer, headers);
    };
    EXPECT_TRUE(local("127.0.0.1", {{"Host", "127.0.0.1:8090"}}));
    EXPECT_TRUE(local("::1", {{"Host", "localhost"}}));
    EXPECT_TRUE(local("::ffff:127.0.0.1", {{"Host", "[::1]:1"}}));
    EXPECT_FALSE(local("192.0.2.1", {{"Host", "localhost"}}));
    EXPECT_FALSE(local("127.0.0.1", {{"Host", "mcp.example.com"}})) << "a proxy that keeps the name it was asked for";
    EXPECT_FALSE(local("127.0.0.1", {})) << "no Host at all";
    EXPECT_FALSE(local("127.0.0.1", {{"Host", "localhost"}, {"Host", "localhost"}}));
    for (const char* const name :
         {"Forwarded", "X-Forwarded-For", "X-Real-IP", "Via", "X-Forwarded-Host", "X-Forwarded-Proto"})
        EXPECT_FALSE(local("127.0.0.1", {{"Host", "127.0.0.1:8090"}, {name, "192.0.2.1"}})) << name;
}

TEST(RateLimitedNote, TellsOnceAndCountsTheRest) {
    std::vector<std::string> told;
    RateLimitedNote note([&told](std::string_view text) { told.emplace_back(text); }, seconds(60));
    const TimePoint start = SteadyClock::now();
    for (int i = 0; i < 5; ++i) note("refused", start + seconds(i));
    ASSERT_EQ(told.size(), 1u);
    EXPECT_EQ(told[0], "refused");
    note("refused", start + seconds(61));
    ASSERT_EQ(told.size(), 2u);
    EXPECT_EQ(told[1], "refused (4 more like this since the last report)");
}

}  // namespace
}  // namespace gantry::app
