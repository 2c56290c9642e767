// Which configuration `gantry serve` uses, and that it starts nothing implicitly.
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "gateway/rig.hpp"

namespace gantry::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

/// `gantry WORDS …` in a folder, with only programs on PATH that leave a mark when they run.
class Place {
public:
    Place() {
        for (const char* const name : {"npx", "uvx", "node"}) {
            const std::string file = folder_.path() + "/" + name;
            std::ofstream(file) << "#!/bin/sh\n/usr/bin/touch '" << folder_.path() << "/started'\n";
            ::chmod(file.c_str(), 0755);
        }
    }
    std::unique_ptr<Child> run(std::vector<std::string> words) const {
        words.insert(words.begin(),
                     {"/bin/sh", "-c", "cd '" + folder_.path() + "' && exec \"$0\" \"$@\"", gantry_program()});
        words.insert(words.end(), {"--state-dir", folder_.path() + "/state"});
        return std::make_unique<Child>(Child::Options{.command = std::move(words), .env = {{"PATH", folder_.path()}}});
    }
    bool started_something() const { return ::access((folder_.path() + "/started").c_str(), F_OK) == 0; }
    const std::string& path() const { return folder_.path(); }

private:
    TempDir folder_;
};

TEST(ServeTest, WithoutAConfigurationItSaysHowToBegin) {
    const Place place;
    for (const std::string command : {"serve", "stdio"}) {
        const auto child = place.run({command});
        EXPECT_EQ(child->wait(), 2);
        EXPECT_THAT(child->err(), AllOf(HasSubstr("gantry init"), HasSubstr("gantry add"), HasSubstr("--demo")));
    }
    EXPECT_FALSE(place.started_something());
}

TEST(ServeTest, ReadsTheConfigurationOfItsFolderAndFollowsIt) {
    const Place place;
    std::ofstream(place.path() + "/gantry.yaml") << "demo_tools: true\ninstructions: mine\n";
    const auto child = place.run({"serve", "--listen", "127.0.0.1:0"});
    ASSERT_TRUE(child->wait_for_output("Ctrl-C stops it")) << child->err();
    Child status({.command = {gantry_program(), "status", "--state-dir", place.path() + "/state"}, .env = {}});
    EXPECT_EQ(status.wait(), 0);
    EXPECT_THAT(status.out(), HasSubstr("configuration " + place.path() + "/gantry.yaml"));
    EXPECT_FALSE(place.started_something());
}

TEST(ServeTest, TheDemoIsAskedForAndFetchesNothing) {
    const Place place;
    const auto child = place.run({"serve", "--demo", "--listen", "127.0.0.1:0"});
    ASSERT_TRUE(child->wait_for_output("Ctrl-C stops it")) << child->err();
    EXPECT_THAT(child->out(), HasSubstr("3 tools of 1 server\n"));
    EXPECT_FALSE(place.started_something()) << "npx on PATH is no reason to download a package";
    std::ofstream(place.path() + "/gantry.yaml") << "demo_tools: true\n";
    const auto both = place.run({"serve", "--demo", "--config", "gantry.yaml"});
    EXPECT_EQ(both->wait(), 2);
}

}  // namespace
}  // namespace gantry::testing
