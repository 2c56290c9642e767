#include "mcp/transport/wire_tap.hpp"

#include <gtest/gtest.h>

namespace gantry::mcp {
namespace {

TEST(WireTap, ShowsOnlyHeaderValuesKnownToBeHarmless) {
    const http::Headers headers = {{"Authorization", "Bearer s3cret"},   {"X-Whatever", "s3cret"},
                                   {"Mcp-Session-Id", "s3cret"},         {"Cookie", "s3cret"},
                                   {"content-TYPE", "application/json"}, {"Mcp-Param-Region", "eu"}};
    const auto shown = masked(headers);
    ASSERT_EQ(shown.size(), 6u);
    for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(shown[i].second, "***") << shown[i].first;
    EXPECT_EQ(shown[4].second, "application/json");
    EXPECT_EQ(shown[5].second, "eu");
}

TEST(WireTap, CutsQueryFragmentAndUserInfoFromUrls) {
    EXPECT_EQ(without_query("https://h/mcp?key=s3cret"), "https://h/mcp");
    EXPECT_EQ(without_query("https://user:s3cret@h:8/mcp#x"), "https://h:8/mcp");
    EXPECT_EQ(without_query("https://h/a@b"), "https://h/a@b");
}

TEST(WireTap, MasksOptionsThatSoundSecretInACommandLine) {
    EXPECT_EQ(masked_command("npx", {"-y", "server", "--api-key", "s3cret", "--token=s3cret", "--port", "80"}),
              "npx -y server --api-key *** --token=*** --port 80");
    EXPECT_EQ(masked_command("run", {"https://h/x?token=s3cret"}), "run https://h/x");
    EXPECT_LT(masked_command("run", {std::string(10'000, 'x')}).size(), 300u);
}

}  // namespace
}  // namespace gantry::mcp
