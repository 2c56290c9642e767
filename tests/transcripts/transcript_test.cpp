// Each file of this folder is a conversation as it must cross the wire.

#include <gtest/gtest.h>

#include <algorithm>

#include "gantry/mcp/revision.hpp"
#include "io/loop.hpp"
#include "transcripts/player.hpp"

namespace gantry::mcp::testing {
namespace {

class Transcript : public ::testing::TestWithParam<Revision> {};

TEST_P(Transcript, IsWhatCrossesTheWire) {
    const auto lines = read_transcript(std::string(GANTRY_SOURCE_DIR) + "/tests/transcripts/" +
                                       std::string(to_string(GetParam())) + ".txt");
    ASSERT_FALSE(lines.empty());
    Loop loop;
    loop.run_until_done(play(lines));
}

INSTANTIATE_TEST_SUITE_P(EveryRevision, Transcript, ::testing::ValuesIn(kAllRevisions), [](const auto& info) {
    std::string name(to_string(info.param));
    std::ranges::replace(name, '-', '_');
    return name;
});

}  // namespace
}  // namespace gantry::mcp::testing
