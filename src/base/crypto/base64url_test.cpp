#include "base/crypto/base64url.hpp"

#include <gtest/gtest.h>

namespace gantry::crypto {
namespace {

TEST(Base64Url, EncodesWithoutPadding) {
    EXPECT_EQ(base64url_encode(""), "");
    EXPECT_EQ(base64url_encode("f"), "Zg");
    EXPECT_EQ(base64url_encode("fo"), "Zm8");
    EXPECT_EQ(base64url_encode("foo"), "Zm9v");
    EXPECT_EQ(base64url_encode("\xfb\xff"), "-_8");
    EXPECT_EQ(base64_encode("\xfb\xff"), "+/8=");
    EXPECT_EQ(base64_encode("f"), "Zg==");
}

TEST(Base64Url, RoundTripsEveryByte) {
    std::string all;
    for (int i = 0; i < 256; ++i) {
        all += static_cast<char>(i);
        EXPECT_EQ(base64url_decode(base64url_encode(all)), all);
    }
}

TEST(Base64Url, RefusesEverySecondSpelling) {
    for (const char* bad : {"Z", "Zg==", "Zm9v\n", " Zm9v", "Zm9+", "Zm9/", "Zh", "Zm9", "Zm9v.", "Zm=v"})
        EXPECT_FALSE(base64url_decode(bad)) << bad;
}

}  // namespace
}  // namespace gantry::crypto
