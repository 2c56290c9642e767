#include "gateway/model/trace.hpp"

#include <gtest/gtest.h>

namespace gantry::gateway {
namespace {

constexpr std::string_view kGood = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

TEST(TraceParent, IsReadAndSaidAgain) {
    const auto read = read_traceparent(kGood);
    ASSERT_TRUE(read.has_value());
    EXPECT_TRUE(read->sampled);
    TraceIds ids = *read;
    ids.span = ids.parent;
    EXPECT_EQ(to_traceparent(ids), kGood);
}

TEST(TraceParent, WhatIsMalformedIsNotGuessedAt) {
    for (const std::string_view text : {"", "00", "garbage", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7",
                                        "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
                                        "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
                                        "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
                                        "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
                                        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more",
                                        "00-4bf92f3577b34da6a3ce929d0e0e4736_00f067aa0ba902b7-01",
                                        "00-4bf92f3577b34da6a3ce929d0e0e473g-00f067aa0ba902b7-01"}) {
        EXPECT_FALSE(read_traceparent(text).has_value()) << text;
    }
}

TEST(TraceParent, ALaterVersionIsReadAsFarAsItAgrees) {
    EXPECT_TRUE(read_traceparent("01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more").has_value());
    EXPECT_FALSE(read_traceparent("01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01more").has_value());
}

}  // namespace
}  // namespace gantry::gateway
