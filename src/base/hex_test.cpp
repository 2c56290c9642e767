#include "base/hex.hpp"

#include <gtest/gtest.h>

#include <array>

namespace gantry {
namespace {

TEST(Hex, WritesTwoDigitsForEveryByte) {
    EXPECT_EQ(to_hex(""), "");
    EXPECT_EQ(to_hex(std::string_view("\x00\x01\x7f\x80\xff z", 7)), "00017f80ff207a");
}

TEST(Hex, AddsToWhatIsThere) {
    std::string text = "id:";
    append_hex(text, std::array<std::uint8_t, 3>{0xab, 0x0c, 0xd0});
    EXPECT_EQ(text, "id:ab0cd0");
    for (int i = 0; i < 100; ++i) append_hex(text, std::array<std::uint8_t, 3>{0xab, 0x0c, 0xd0});
    EXPECT_EQ(text.size(), 3u + 6 * 101) << "also where there is room for more";
}

}  // namespace
}  // namespace gantry
