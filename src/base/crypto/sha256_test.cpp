#include "base/crypto/sha256.hpp"

#include <gtest/gtest.h>

#include "base/crypto/digest.hpp"

namespace gantry::crypto {
namespace {

std::string hex(std::string_view bytes) {
    std::string out;
    for (const char c : bytes) {
        constexpr char kDigits[] = "0123456789abcdef";
        out += kDigits[static_cast<unsigned char>(c) >> 4];
        out += kDigits[static_cast<unsigned char>(c) & 15];
    }
    return out;
}

std::string text(const Sha256::Digest& digest) {
    return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

TEST(Sha256, DigestsPiecesAsOneAndBeginsAnewAfterwards) {
    Sha256 sha;
    sha.add("ab");
    sha.add("c");
    EXPECT_EQ(text(sha.end()), sha256("abc"));
    EXPECT_EQ(text(sha.end()), sha256(""));
    sha.add("abc");
    EXPECT_EQ(hex(text(sha.end())), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(Sha256, HmacIsThatOfRfc4231) {
    EXPECT_EQ(hex(hmac_sha256("Jefe", "what do ya want for nothing?")),
              "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
}

}  // namespace
}  // namespace gantry::crypto
