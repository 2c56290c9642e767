#include "app/gateway/event_line.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gantry::app {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TEST(EventLine, IsReadAtAGlanceAndActsOnNoTerminal) {
    const std::string line = event_line(
        R"({"time":"2026-11-17T10:22:28.123456Z","type":"gantry.tool.failed.v1","subject":"files_\u001bread",)"
        R"("data":{"reason":"timeout","duration_ms":30000,"empty":null,"long":")" +
        std::string(500, 'x') + R"("}})");
    EXPECT_THAT(line, AllOf(HasSubstr("2026-11-1"), HasSubstr("tool.failed  "), HasSubstr("files_?read")));
    EXPECT_THAT(line, AllOf(HasSubstr("reason=timeout duration_ms=30000"), Not(HasSubstr("empty")), HasSubstr("…")));
    EXPECT_EQ(event_line("no\x1bJSON"), "no?JSON");
}

TEST(EventLine, KnowsWhichTypesExist) {
    for (const char* const known :
         {"tool.called", "tool.*", "source.health_changed", "gantry.tool.failed.v1", "nothing,approval.*"})
        EXPECT_TRUE(is_known_type(known)) << known;
    for (const char* const unknown : {"tools.called", "x.*", "a,b"}) EXPECT_FALSE(is_known_type(unknown)) << unknown;
    EXPECT_TRUE(is_part_of_type("tool."));
    EXPECT_FALSE(is_part_of_type("nonsense"));
    EXPECT_THAT(known_event_types(), HasSubstr("tool.called, tool.failed"));
}

}  // namespace
}  // namespace gantry::app
