#include "io/process/line_cutter.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace gantry::process {
namespace {

std::vector<std::string> cut(std::string_view text, std::size_t piece) {
    LineCutter cutter;
    std::vector<std::string> lines;
    const LineCutter::Sink sink = [&](std::string_view line) { lines.emplace_back(line); };
    for (std::size_t at = 0; at < text.size(); at += piece) cutter.feed(text.substr(at, piece), sink);
    cutter.finish(sink);
    return lines;
}

TEST(LineCutter, GivesTheSameLinesForEveryCut) {
    const std::string_view text = "one\n\ntwo\r\n\r\nthree\rfour\nlast";
    for (std::size_t piece = 1; piece <= text.size(); ++piece)
        EXPECT_EQ(cut(text, piece), (std::vector<std::string>{"one", "", "two", "", "three\rfour", "last"})) << piece;
    EXPECT_TRUE(cut("", 1).empty());
    EXPECT_EQ(cut("a\n", 1), std::vector<std::string>{"a"});
}

TEST(LineCutter, CutsLongLinesAndGoesOnWithTheNext) {
    const std::string text = std::string(100'000, 'x') + "\nshort\n" + std::string(LineCutter::kMaxLine, 'y') + "\n";
    for (const std::size_t piece : {1u, 1000u, 8192u, 1'000'000u})
        EXPECT_EQ(cut(text, piece), (std::vector<std::string>{std::string(LineCutter::kMaxLine, 'x'), "short",
                                                              std::string(LineCutter::kMaxLine, 'y')}));
}

TEST(LineCutter, ANullSinkOnlyDrains) {
    LineCutter cutter;
    cutter.feed("a\nb", nullptr);
    cutter.finish(nullptr);
}

}  // namespace
}  // namespace gantry::process
