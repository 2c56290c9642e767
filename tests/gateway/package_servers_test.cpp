// Servers as users configure them, with only a command and arguments: packages from npm, PyPI and Go work in the
// default isolation, on the folders their arguments name, for the user of the tests and for an ordinary one.
#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "gateway/person.hpp"
#include "gateway/rig.hpp"

namespace gantry::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr std::chrono::seconds kFetching(200);
const std::string kGitServer = "mcp-server-git==2026.10.19";  // as in tests/peers/python/requirements.txt

std::string text_of_file(const std::string& file) {
    std::ifstream in(file, std::ios::binary);
    std::stringstream text;
    text << in.rdbuf();
    return text.str();
}

class PackageServers : public ::testing::TestWithParam<bool> {
protected:
    void SetUp() override { SKIP_WITHOUT_ISOLATION(person); }

    /// A repository owned by this person, with an uncommitted file.
    std::string repository(const std::string& folder) const {
        person.run({"git", "init", "-q", folder});
        person.put(folder + "/notes", "the notes");
        return folder;
    }
    void introduce() const {
        person.put(person.home() + "/.gitconfig", "[user]\n\tname = Ada\n\temail = ada@example.org\n");
    }
    /// Commits an untracked file with the tools of mcp-server-git.
    void expect_commits(PersonsGateway& gateway, const std::string& server, const std::string& folder) const {
        const auto call = [&](const std::string& tool, JsonObject arguments) {
            arguments.set("repo_path", folder);
            return gateway.call(server + "_git_" + tool, arguments);
        };
        ASSERT_THAT(call("status", {}), HasSubstr("notes"));
        EXPECT_THAT(call("add", {{"files", JsonArray{"notes"}}}), HasSubstr("staged successfully"));
        EXPECT_THAT(call("commit", {{"message", "first words"}}), HasSubstr("committed successfully"));
        EXPECT_THAT(call("log", {{"max_count", 1}}), AllOf(HasSubstr("first words"), HasSubstr("Ada")));
        EXPECT_EQ(person.run({"git", "-C", folder, "log", "--format=%an %ae %s"}), "Ada ada@example.org first words\n")
            << "the commit is the user's";
    }
    /// One server each for a repository in the home, in a dot folder of it, and elsewhere.
    void expect_repositories(const std::string& program) const {
        introduce();
        const std::string inside = repository(person.home() + "/project");
        const std::string hidden = repository(person.home() + "/.dotfiles");
        const std::string outside = repository(person.elsewhere() + "/project");
        PersonsGateway gateway(person, plain_server("inside", {program, "--repository", inside}) +
                                           plain_server("hidden", {program, "--repository=" + hidden}) +
                                           plain_server("outside", {program, "-r", outside}));
        expect_commits(gateway, "inside", inside);
        expect_commits(gateway, "hidden", hidden);
        expect_commits(gateway, "outside", outside);
    }
    /// Installs uv where its installer puts it. False: it is not installed here, or PyPI is unreachable.
    bool install_uv() const {
        const std::string python = peer_file("python/.venv/bin/python");
        if (python.empty() || peer_file("python/.venv/bin/uvx").empty()) return false;
        for (const char* name : {"uv", "uvx"}) {
            const std::string to = person.home() + "/.local/bin/" + name;
            person.put(to, "");
            fs::copy_file(peer_file(std::string("python/.venv/bin/") + name), to, fs::copy_options::overwrite_existing);
            ::chmod(to.c_str(), 0755);
        }
        Child probe({.command = {python, "-c",
                                 "import urllib.request as r; r.urlopen('https://pypi.org/simple/uv/', timeout=20)"},
                     .env = {}});
        return probe.wait() == 0;
    }

    Person person{GetParam()};
};
INSTANTIATE_TEST_SUITE_P(ByDefault, PackageServers, ::testing::Bool(),
                         [](const auto& info) { return info.param ? "AsAnOrdinaryUser" : "AsTheUserOfTheTests"; });

#define SKIP_WITHOUT_GIT \
    if (!person.can_run({"git", "--version"})) GTEST_SKIP() << "git is not installed"
#define SKIP_WITHOUT_UV \
    if (!install_uv()) GTEST_SKIP() << "uv is not installed (tools/setup peers), or PyPI cannot be reached"

TEST_P(PackageServers, GitWorksOnRepositoriesInsideAndOutsideTheHome) {
    SKIP_WITHOUT_GIT;
    const std::string program = peer_file("python/.venv/bin/mcp-server-git");
    if (program.empty()) GTEST_SKIP() << "mcp-server-git is not installed: run tools/setup peers";
    if (!person.can_run({program, "--help"})) GTEST_SKIP() << "this user cannot run " << program;
    expect_repositories(program);
}

TEST_P(PackageServers, UvxFetchesAServerIntoTheServersOwnHome) {
    SKIP_WITHOUT_GIT;
    SKIP_WITHOUT_UV;
    introduce();
    const std::string folder = repository(person.home() + "/project");
    PersonsGateway gateway(person, plain_server("git", {"uvx", kGitServer, "--repository", folder}), kFetching);
    expect_commits(gateway, "git", folder);
    EXPECT_TRUE(fs::exists(gateway.home_of("git") + "/.cache/uv")) << "the cache is the server's";
    EXPECT_FALSE(fs::exists(person.home() + "/.cache")) << "and not the user's";
}

TEST_P(PackageServers, GitInstalledInTheUsersHomeWorksAsWell) {
    SKIP_WITHOUT_GIT;
    SKIP_WITHOUT_UV;
    person.run({"uv", "tool", "install", "--quiet", kGitServer});
    // Compiles the server's Python code once, here: servers in isolation cannot store the result, so each would compile
    // it at every start, and three at once on a busy machine would exceed the connect timeout.
    person.run({"mcp-server-git", "--help"});
    expect_repositories("mcp-server-git");
}

TEST_P(PackageServers, NpxFetchesAServerIntoTheServersOwnHome) {
    if (!person.can_run({"npm", "view", "@modelcontextprotocol/server-memory", "version"}))
        GTEST_SKIP() << "npm is not installed, or its registry cannot be reached";
    fs::remove_all(person.home() + "/.npm");  // created by the check
    PersonsGateway gateway(person, plain_server("memory", {"npx", "-y", "@modelcontextprotocol/server-memory"}),
                           kFetching);
    const JsonObject ada{{"name", "Ada"}, {"entityType", "person"}, {"observations", JsonArray{"counts"}}};
    ASSERT_THAT(gateway.call("memory_create_entities", {{"entities", JsonArray{ada}}}), HasSubstr("Ada"));
    EXPECT_THAT(gateway.call("memory_read_graph", {}), HasSubstr("counts"));
    EXPECT_TRUE(fs::exists(gateway.home_of("memory") + "/.npm/_npx")) << "the cache is the server's";
    EXPECT_FALSE(fs::exists(person.home() + "/.npm")) << "and not the user's";
}

TEST_P(PackageServers, TheFilesystemServerWorksInTheFoldersItsArgumentsName) {
    const std::string script = peer_file("node_modules/@modelcontextprotocol/server-filesystem/dist/index.js");
    SKIP_WITHOUT(node());
    SKIP_WITHOUT(script);
    if (!person.can_run({node(), "--version"})) GTEST_SKIP() << "this user cannot run " << node();
    const std::vector<std::string> folders = {person.home() + "/work", person.home() + "/.notes",
                                              person.elsewhere() + "/data"};
    for (const std::string& folder : folders) person.put(folder + "/old", "the text");
    PersonsGateway gateway(person, plain_server("files", {node(), script, folders[0], folders[1], folders[2]}));
    for (const std::string& folder : folders) {
        const std::string made = folder + "/made";
        EXPECT_EQ(gateway.call("files_read_text_file", {{"path", folder + "/old"}}), "the text");
        EXPECT_THAT(gateway.call("files_write_file", {{"path", made}, {"content", "by it"}}), StartsWith("Success"));
        EXPECT_THAT(gateway.call("files_move_file", {{"source", made}, {"destination", folder + "/moved"}}),
                    StartsWith("Success"));
        EXPECT_EQ(text_of_file(folder + "/moved"), "by it");
    }
}

TEST_P(PackageServers, ANodeServerKeepsFilesInTheTemporaryFolderAndInItsHome) {
    SKIP_WITHOUT(node());
    SKIP_WITHOUT(peer_file("node_modules/@modelcontextprotocol/sdk/package.json"));
    const std::string script = peer_file("scratch_server.mjs");
    if (!person.can_run({node(), "--version"})) GTEST_SKIP() << "this user cannot run " << node();
    PersonsGateway gateway(person, plain_server("scratch", {node(), script}));
    EXPECT_EQ(gateway.call("scratch_keep", {}), "kept kept\n/tmp\n" + gateway.home_of("scratch"));
    EXPECT_EQ(text_of_file(gateway.home_of("scratch") + "/.config/scratch/file"), "kept");
    EXPECT_FALSE(fs::exists(person.home() + "/.config/scratch"));
    EXPECT_THAT(gateway.said(), Not(HasSubstr("isolation lacks"))) << "every part of isolation holds";
}

TEST_P(PackageServers, AGoServerWritesConnectsAndRunsPrograms) {
    const std::string program = person.home() + "/go-server";
    Child build({.command = {"/bin/sh", "-c",
                             "command -v go > /dev/null || exit 77; exec env CGO_ENABLED=0 GOTOOLCHAIN=local "
                             "GOCACHE=\"$2\" go build -o "
                             "\"$0\" \"$1\"",
                             program, peer_file("go/main.go"), gantry::test_support::built_path("tests/go-cache")},
                 .env = {}});
    const auto built = build.wait(std::chrono::seconds(200));
    if (built == 77) GTEST_SKIP() << "go is not installed";
    ASSERT_EQ(built, 0) << build.err();
    const std::string folder = person.elsewhere();
    PersonsGateway gateway(person, plain_server("go", {program, folder}));
    ASSERT_EQ(gateway.call("go_write", {{"folder", folder}}), "written");
    EXPECT_EQ(text_of_file(folder + "/made"), "by Go");
    EXPECT_EQ(gateway.call("go_run", {{"script", "echo $HOME"}}), gateway.home_of("go"));
    EXPECT_EQ(gateway.call("go_connect", {}), "200 connections");
}

}  // namespace
}  // namespace gantry::testing
