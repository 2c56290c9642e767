#include "mcp/transport/line_splitter.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

namespace gantry::mcp {
namespace {

/// Feeds `text` in pieces of `step` bytes and returns every line.
std::vector<std::string> split(LineSplitter& lines, std::string_view text, std::size_t step) {
    std::vector<std::string> out;
    while (!text.empty()) {
        const auto room = lines.room();
        const std::size_t size = std::min({step, room.size(), text.size()});
        std::memcpy(room.data(), text.data(), size);
        lines.filled(size);
        text.remove_prefix(size);
        for (;;) {
            auto line = lines.next();
            if (!line) {
                out.emplace_back("limit");
                return out;
            }
            if (!*line) break;
            out.emplace_back(**line);
        }
    }
    return out;
}

TEST(LineSplitter, GivesTheSameLinesForEverySplit) {
    const std::string text = "one\n\r\ntwo\r\n" + std::string(200'000, 'x') + "\nlast\n";
    const std::vector<std::string> expected = {"one", "", "two", std::string(200'000, 'x'), "last"};
    for (const std::size_t step : {1uz, 2uz, 3uz, 7uz, 4096uz, 1'000'000uz}) {
        LineSplitter lines(1u << 20);
        EXPECT_EQ(split(lines, text, step), expected) << step;
        EXPECT_EQ(lines.rest(), "");
    }
}

TEST(LineSplitter, KeepsWhatHasNoNewlineYet) {
    LineSplitter lines(100);
    EXPECT_EQ(split(lines, "a\nhalf", 3), std::vector<std::string>{"a"});
    EXPECT_EQ(lines.rest(), "half");
}

TEST(LineSplitter, AllowsALineOfExactlyTheLimitAndRefusesOneByteMore) {
    for (const std::string_view end : {"\n", "\r\n"}) {
        LineSplitter lines(10);
        EXPECT_EQ(split(lines, "0123456789" + std::string(end), 1), std::vector<std::string>{"0123456789"});
    }
    LineSplitter lines(10);
    EXPECT_EQ(split(lines, "0123456789a\n", 100), std::vector<std::string>{"limit"});
}

TEST(LineSplitter, RefusesAnEndlessLineBeforeHoldingMuchMoreThanTheLimit) {
    constexpr std::size_t kLimit = 1u << 20;
    LineSplitter lines(kLimit);
    std::size_t fed = 0;
    for (;;) {
        const auto room = lines.room();
        std::memset(room.data(), 'x', room.size());
        lines.filled(room.size());
        fed += room.size();
        ASSERT_LE(fed, kLimit + 2);
        if (!lines.next()) break;
    }
    EXPECT_GT(fed, kLimit);
}

}  // namespace
}  // namespace gantry::mcp
