#include "app/setup/starter.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <regex>
#include <sstream>

#include "app/config/test_schema.hpp"
#include "app/setup/check.hpp"
#include "io/test_temporary_folder.hpp"

namespace gantry::app {
namespace {

std::string text_of(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    return (std::ostringstream() << in.rdbuf()).str();
}

TEST(Starter, IsAValidConfigurationWithTheLineForEditors) {
    const auto config = parse_config(starter(), "starter");
    ASSERT_TRUE(config) << config.error().message();
    EXPECT_TRUE(config->servers.empty());
    EXPECT_EQ(schema_refuses(starter()), "");
    EXPECT_TRUE(starter().starts_with(std::string(kEditorLine) + "gantry.schema.json\n"));
}

TEST(Starter, WhatItHasInCommentsWorksWhenTheyAreRemoved) {
    std::string text = std::regex_replace(std::string(starter()), std::regex("servers: \\[\\]"), "servers:");
    text = std::regex_replace(text, std::regex("(^|\n)#(  |groups)"), "$1$2");
    const auto config = parse_config(text, "starter");
    ASSERT_TRUE(config) << config.error().message() << text;
    ASSERT_EQ(config->servers.size(), 3u);
    EXPECT_THAT(config->servers[0].allow, testing::ElementsAre("read_text_file", "list_directory"));
    EXPECT_EQ(config->servers[1].headers.size(), 1u);
    EXPECT_EQ(config->servers[2].transport, gateway::WireWish::kSse);
    EXPECT_EQ(config->groups.size(), 1u);
    EXPECT_EQ(schema_refuses(text), "");
}

TEST(Starter, IsWrittenWithItsSchemaAndNeverOverAFile) {
    const TemporaryFolder folder;
    const auto file = folder.path() / "gantry.yaml";
    ASSERT_TRUE(write_starter(file));
    EXPECT_EQ(text_of(file), starter());
    EXPECT_EQ(Json::parse(text_of(schema_file_of(file))).value_or(Json()), config_schema());
    EXPECT_EQ(check({.file = file.string()}), 0);

    std::ofstream(file) << "listen: 127.0.0.1:1\n";
    const auto again = write_starter(file);
    ASSERT_FALSE(again);
    EXPECT_EQ(again.error().code(), ErrorCode::kInvalidArgument);
    EXPECT_EQ(text_of(file), "listen: 127.0.0.1:1\n");
}

TEST(Check, TellsAGoodFileFromABrokenAndAnAbsentOne) {
    const TemporaryFolder folder;
    const auto file = folder.path() / "gantry.yaml";
    EXPECT_EQ(check({.file = file.string()}), 2);
    std::ofstream(file) << "servers: [{name: a, command: x}]\n";
    EXPECT_EQ(check({.file = file.string()}), 0);
    std::ofstream(file) << "servers: [{name: a, comand: x}]\n";
    EXPECT_EQ(check({.file = file.string()}), 2);
    testing::internal::CaptureStdout();
    EXPECT_EQ(check({.file = file.string(), .json = true}), 2);
    const auto told = Json::parse(testing::internal::GetCapturedStdout());
    ASSERT_TRUE(told);
    EXPECT_EQ(*told->find("valid"), Json(false));
    EXPECT_THAT(*told->at_pointer("/faults/1")->if_string(), testing::HasSubstr("did you mean 'command'?"));
}

}  // namespace
}  // namespace gantry::app
