#include "app/process/listen_address.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gantry::app {
namespace {

TEST(ListenAddress, IsShownAsAnAddressThatCanBeCalled) {
    const struct {
        const char* text;
        const char* shown;
        bool loopback;
    } rows[] = {
        {"127.0.0.1:8090", "127.0.0.1:9", true},
        {"localhost:0", "localhost:9", true},
        {"[::1]:1", "[::1]:9", true},
        {"0.0.0.0:8090", "127.0.0.1:9", false},
        {"[::]:8090", "[::1]:9", false},
        {"10.0.0.7:80", "10.0.0.7:9", false},
    };
    for (const auto& row : rows) {
        const auto address = parse_listen(row.text);
        ASSERT_TRUE(address.has_value()) << row.text;
        EXPECT_EQ(address->authority(9), row.shown) << row.text;
        EXPECT_EQ(address->is_loopback(), row.loopback) << row.text;
    }
}

TEST(ListenAddress, SaysWhatIsWrongWithOne) {
    for (const char* text : {"", "8090", ":8090", "::1:8090", "localhost:", "localhost:70000", "localhost:x"}) {
        const auto address = parse_listen(text);
        ASSERT_FALSE(address.has_value()) << text;
        EXPECT_THAT(address.error().message(), testing::HasSubstr("expected HOST:PORT")) << text;
    }
}

}  // namespace
}  // namespace gantry::app
