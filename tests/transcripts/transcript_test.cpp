// Each file below this folder is a conversation, exactly as it must cross the wire.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "gantry/mcp/revision.hpp"
#include "io/loop.hpp"
#include "support/paths.hpp"
#include "transcripts/player.hpp"

namespace gantry::mcp::testing {
namespace {

const std::string kFolder = gantry::test_support::source_path("tests/transcripts/");

Task<void> play_file(std::string path) {
    auto* server = path.starts_with("stdio/")      ? &played_over_stdio
                   : path.starts_with("http-sse/") ? &played_over_http_sse
                                                   : &played_over_streamable_http;
    return play(read_transcript(kFolder + path), server);
}

std::vector<std::string> all_files() {
    std::vector<std::string> files;
    for (const char* wire : {"stdio", "http-sse", "streamable-http"}) {
        for (const auto& entry : std::filesystem::directory_iterator(kFolder + wire))
            files.push_back(std::string(wire) + "/" + entry.path().filename().string());
    }
    std::ranges::sort(files);
    return files;
}

class Transcript : public ::testing::TestWithParam<std::string> {};

TEST_P(Transcript, IsWhatCrossesTheWire) {
    Loop loop;
    loop.run_until_done(play_file(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(All, Transcript, ::testing::ValuesIn(all_files()), [](const auto& info) {
    std::string name = info.param.substr(0, info.param.find('.'));
    std::ranges::replace_if(name, [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
    return name;
});

TEST(Transcripts, EveryRevisionHasOneForEachOfItsTransports) {
    const auto files = all_files();
    for (const Revision revision : kAllRevisions) {
        const std::string name = std::string(to_string(revision)) + ".txt";
        const char* http = revision == Revision::k2024_11_05 ? "http-sse/" : "streamable-http/";
        EXPECT_EQ(std::ranges::count(files, "stdio/" + name), 1) << name;
        EXPECT_EQ(std::ranges::count(files, http + name), 1) << name;
    }
}

}  // namespace
}  // namespace gantry::mcp::testing
