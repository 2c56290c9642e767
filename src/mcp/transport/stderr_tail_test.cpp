#include "mcp/transport/stderr_tail.hpp"

#include <gtest/gtest.h>

namespace gantry::mcp {
namespace {

TEST(StderrTail, KeepsTheLastLinesAndSkipsBlankOnes) {
    StderrTail tail;
    EXPECT_EQ(tail.text(), "");
    for (int i = 0; i < 100; ++i) tail.add("line " + std::to_string(i));
    tail.add("   ");
    EXPECT_EQ(tail.text(), "line 95 | line 96 | line 97 | line 98 | line 99");
}

TEST(StderrTail, StaysSmallWhateverTheChildSays) {
    StderrTail tail;
    for (int i = 0; i < 100; ++i) tail.add(std::string(100'000, 'x'));
    EXPECT_LT(tail.text().size(), 1'200u);
}

TEST(OneLine, CutsBetweenCharactersAndReplacesControls) {
    EXPECT_EQ(one_line("a\tb\x1b[1m", 100), "a b [1m");
    EXPECT_EQ(one_line("aé", 2), "a…");
    EXPECT_EQ(one_line("aé", 3), "aé");
}

}  // namespace
}  // namespace gantry::mcp
