#include "gateway/events/type_filter.hpp"

#include <gtest/gtest.h>

#include "gateway/ports/event_sink.hpp"

namespace gantry::gateway::events {
namespace {

TEST(TypeFilter, PatternsMayLeaveOutWhatAllTypesShare) {
    struct Row {
        std::vector<std::string> patterns;
        std::string_view type;
        bool wanted;
    };
    const Row rows[] = {{{}, event_type::kToolCalled, true},
                        {{"tool.failed"}, event_type::kToolFailed, true},
                        {{"tool.failed"}, event_type::kToolCalled, false},
                        {{"tool.*"}, event_type::kToolCalled, true},
                        {{"*"}, event_type::kStarted, true},
                        {{"gantry.tool.called.v1"}, event_type::kToolCalled, true},
                        {{"gantry.tool.called.v2"}, event_type::kToolCalled, false},
                        {{"source.*", "circuit_breaker.*"}, event_type::kBreakerOpened, true},
                        {{"*_opened"}, event_type::kBreakerHalfOpened, true},
                        {{"tool"}, event_type::kToolCalled, false},
                        {{""}, event_type::kToolCalled, false}};
    for (const Row& row : rows)
        EXPECT_EQ(TypeFilter(row.patterns).wants(row.type), row.wanted)
            << (row.patterns.empty() ? "" : row.patterns[0]) << " " << row.type;
}

TEST(TypeFilter, OtherNamesMatchBesideTheUsualOnes) {
    for (const char* pattern : {"mcp.*", "mcp.tool_failed", "tool.failed", "*"}) {
        const TypeFilter filter({pattern}, EventNames::kMcp);
        EXPECT_TRUE(filter.wants(event_type::kToolFailed)) << pattern;
        EXPECT_EQ(filter.wants(event_type::kStarted), std::string_view(pattern) == "*") << pattern;
    }
    EXPECT_FALSE(TypeFilter({"mcp.*"}).wants(event_type::kToolFailed));
}

}  // namespace
}  // namespace gantry::gateway::events
