#include "surface/cli/secrets.hpp"

#include <gtest/gtest.h>

namespace gantry::cli {
namespace {

TEST(Secrets, WhatTheServerRepeatsIsMasked) {
    Options options;
    options.env = {{"API_TOKEN", "env-secret"}, {"MODE", "quiet"}, {"OPAQUE", "0123456789abcdef"}};
    options.headers = {{"Authorization", "Bearer header-secret"}, {"X-Team", "blue"}};
    options.url = "http://127.0.0.1/mcp?page=2&access_token=query-secret#part";
    const Secrets secrets(options);
    EXPECT_EQ(secrets.masked("a env-secret b header-secret c query-secret d 0123456789abcdef"),
              "a *** b *** c *** d ***");
    EXPECT_EQ(secrets.masked("Bearer header-secret"), "***");
    EXPECT_EQ(secrets.masked(R"({"mode":"quiet","team":"blue","page":2})"),
              R"({"mode":"quiet","team":"blue","page":2})")
        << "ordinary words stay";
}

TEST(Secrets, AlsoInTheFormJsonGivesThem) {
    Options options;
    options.env = {{"PASSWORD", "a\"b\\c"}};
    const Secrets secrets(options);
    const Json once = JsonObject{{"value", "a\"b\\c"}};
    EXPECT_EQ(secrets.masked(once.dump()), R"({"value":"***"})");
    const Json twice = JsonObject{{"text", once.dump()}};
    EXPECT_EQ(secrets.masked(twice.dump()), R"({"text":"{\"value\":\"***\"}"})");
}

TEST(Secrets, TheLongerOneIsMaskedWhole) {
    Options options;
    options.env = {{"A_KEY", "abcd"}, {"B_KEY", "abcdef"}, {"C_KEY", "abc"}};
    EXPECT_EQ(Secrets(options).masked("abcdef abcd abc"), "*** *** abc");
}

}  // namespace
}  // namespace gantry::cli
