#include "base/terminal_text.hpp"

#include <gtest/gtest.h>

namespace gantry {
namespace {

TEST(TerminalText, WhatPeopleReadStaysAsItIs) {
    for (const char* text :
         {"", "plain", "Grüße, 世界", "\u0645\u0631\u062d\u0628\u0627", "👩\u200d💻", "می\u200cخواهم"})
        EXPECT_EQ(terminal_text(text), text);
}

TEST(TerminalText, DirectionOverridesAndInvisibleCharactersAreSpeltOut) {
    EXPECT_EQ(terminal_text("rm \u202etxt.\u2066x"), "rm <U+202E>txt.<U+2066>x");
    EXPECT_EQ(terminal_text("a\u200bb\ufeffc\u00ad"), "a<U+200B>b<U+FEFF>c<U+00AD>");
    EXPECT_EQ(terminal_text("\U000E0041"), "<U+E0041>");
    EXPECT_EQ(terminal_text("one\u2028two"), "one<U+2028>two");
}

TEST(TerminalText, CommandsToTheTerminalBecomeQuestionMarks) {
    EXPECT_EQ(terminal_text("\x1b[31mred\x7f\r\n\t"), "?[31mred????");
    EXPECT_EQ(terminal_text("a\u009b31m"), "a?31m");
    EXPECT_EQ(terminal_text("a\nb\tc\rd", Lines::kMany), "a\nb\tc?d");
}

TEST(TerminalText, BytesThatAreNoTextBecomeQuestionMarks) {
    EXPECT_EQ(terminal_text("a\x9b"
                            "31m"),
              "a?31m");
    EXPECT_EQ(terminal_text("\xc0\xaf"), "??") << "overlong";
    EXPECT_EQ(terminal_text("\xed\xa0\x80"), "???") << "a surrogate";
    EXPECT_EQ(terminal_text("x\xe2\x80"), "x??") << "cut off";
    EXPECT_EQ(terminal_text("\xff\xf8"), "??");
}

TEST(TerminalText, JoinedLinesStayApart) {
    EXPECT_EQ(terminal_text("one\ntwo", Lines::kJoined), "one; two") << "several faults in one message";
}

TEST(TerminalText, AnExcerptIsCutBetweenCharacters) {
    EXPECT_EQ(terminal_excerpt("äöü", 2), "äö…");
    EXPECT_EQ(terminal_excerpt("äöü", 3), "äöü");
    EXPECT_EQ(terminal_excerpt("", 0), "");
}

}  // namespace
}  // namespace gantry
