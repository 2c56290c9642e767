#include "app/process/local_request.hpp"

#include <gtest/gtest.h>

#include <string>

namespace gantry::app {
namespace {

TEST(LocalRequest, TakesAddressHostAndForwardingFieldsTogether) {
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

}  // namespace
}  // namespace gantry::app
