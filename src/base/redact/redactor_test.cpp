#include "base/redact/redactor.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "base/crypto/base64url.hpp"
#include "gantry/json.hpp"

namespace gantry {
namespace {

constexpr std::string_view kSecret = "s3cr\"t/with spaces+ä\n";

TEST(Redactor, TakesOutASecretInEveryFormItTakesOn) {
    Redactor redactor;
    redactor.add(kSecret);
    const std::string value(kSecret);
    const std::string once = Json(value).dump();
    const std::string forms[] = {
        "plain " + value + " text",
        "in JSON: " + once,
        "in JSON in JSON: " + Json(once).dump(),
        "https://h/?k=s3cr%22t%2Fwith%20spaces%2B%C3%A4%0A&x=1",
        "https://h/?k=s3cr%22t%2fwith%20spaces%2b%c3%a4%0a&x=1",
        "key=7333637222742f77697468207370616365732bc3a40a.",
        "key=7333637222742F77697468207370616365732BC3A40A.",
    };
    for (const std::string& text : forms) {
        EXPECT_TRUE(redactor.touches(text)) << text;
        const std::string masked = redactor.masked(text);
        EXPECT_TRUE(masked.contains("***")) << masked;
        EXPECT_FALSE(masked.contains("s3cr")) << masked;
        EXPECT_FALSE(masked.contains("73336372")) << masked;
    }
}

TEST(Redactor, FindsASecretInBase64WhateverStandsAroundIt) {
    Redactor redactor;
    redactor.add("canary-4711-canary");
    for (const std::string_view before : {"", "u:", "me:", "bob:", "alice:"}) {
        for (const std::string_view after : {"", "x", "xy", "\n"}) {
            const std::string plain = std::string(before) + "canary-4711-canary" + std::string(after);
            for (const std::string& encoded : {crypto::base64_encode(plain), crypto::base64url_encode(plain)}) {
                const std::string masked = redactor.masked("Basic " + encoded);
                EXPECT_TRUE(masked.starts_with("Basic ")) << masked;
                EXPECT_TRUE(masked.contains("***")) << encoded;
                EXPECT_LT(masked.size(), 22u) << masked;
            }
        }
    }
}

TEST(Redactor, LeavesNothingOfALongerSecretBecauseOfAShorterOne) {
    Redactor redactor;
    redactor.add("abcd");
    redactor.add("abcdefgh");
    EXPECT_EQ(redactor.masked("<abcdefgh> <abcd> <abc>"), "<***> <***> <abc>");
}

TEST(Redactor, TakesOutTheBeginningOfASecretThatWasCutOff) {
    Redactor redactor;
    redactor.add("canary-4711-canary");
    EXPECT_EQ(redactor.masked("started with canary-4711-ca…"), "started with ***…");
    EXPECT_EQ(redactor.masked("a canary 4711"), "a canary 4711") << "a common beginning is no secret";
}

TEST(Redactor, KeepsJsonValid) {
    Redactor redactor;
    redactor.add(kSecret);
    const Json before = JsonObject{{"message", "no: " + std::string(kSecret)}, {"n", 1}};
    const auto after = Json::parse(redactor.masked(before.dump()));
    ASSERT_TRUE(after);
    EXPECT_EQ(after->string_at("message"), "no: ***");
}

TEST(Redactor, IsNotMisledByShortOrManyOrLongValues) {
    Redactor redactor;
    redactor.add("");
    redactor.add("abc");
    EXPECT_EQ(redactor.size(), 0u);
    EXPECT_EQ(redactor.masked("abc"), "abc");
    for (int i = 0; i < 1500; ++i) redactor.add("value-number-" + std::to_string(i) + ".");
    EXPECT_EQ(redactor.size(), Redactor::kMost);
    EXPECT_EQ(redactor.masked("value-number-1499."), "***");
    const std::string huge(200'000, 'x');
    redactor.add(huge);
    EXPECT_FALSE(redactor.masked("a" + huge + "b").contains("xxxxx"));
}

TEST(Redactor, MayBeUsedByManyThreads) {
    Redactor redactor;
    redactor.add("first-secret");
    std::thread adder([&] {
        for (int i = 0; i < 200; ++i) redactor.add("secret-" + std::to_string(i));
    });
    for (int i = 0; i < 200; ++i) EXPECT_EQ(redactor.masked("a first-secret b"), "a *** b");
    adder.join();
    EXPECT_EQ(redactor.masked("secret-199"), "***");
}

}  // namespace
}  // namespace gantry
