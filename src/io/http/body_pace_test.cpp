#include "io/http/body_pace.hpp"

#include <gtest/gtest.h>

namespace gantry::http {
namespace {

std::size_t admitted(BodyPace& pace, std::size_t bytes, std::uint64_t turn) {
    std::size_t all = 0;
    while (all < 100 * BodyPace::kPerTurn && pace.admit(bytes, turn)) all += bytes;
    return all;
}

TEST(BodyPace, ReadsSoMuchInATurnAndGoesOnInTheNext) {
    BodyPace pace;
    for (std::uint64_t turn = 1; turn < 10; ++turn) EXPECT_EQ(admitted(pace, 64u << 10, turn), BodyPace::kPerTurn);
}

TEST(BodyPace, OneReadBeyondWhatATurnHasIsAdmitted) {
    BodyPace pace;
    EXPECT_TRUE(pace.admit(10 * BodyPace::kPerTurn, 1));
    EXPECT_FALSE(pace.admit(1, 1));
    EXPECT_TRUE(pace.admit(1, 2));
}

}  // namespace
}  // namespace gantry::http
