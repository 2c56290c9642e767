// A server that replaces the gateway's configuration by its own, and the gateway's reaction to a configuration at a
// path that differs from the one it started with.
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "gateway/rig.hpp"
#include "gateway/sandbox/kernel.hpp"
#include "support/paths.hpp"

namespace gantry::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
namespace fs = std::filesystem;

constexpr uid_t kNobody = 65534;

struct Case {
    const char* level;
    bool ordinary;  // the gateway runs as an unprivileged user
};
std::string name_of(const ::testing::TestParamInfo<Case>& info) {
    return std::string(info.param.level) + (info.param.ordinary ? "AsAnOrdinaryUser" : "");
}

class SwappedFilesTest : public ::testing::TestWithParam<Case> {
protected:
    void SetUp() override {
        const auto& kernel = gateway::sandbox::kernel();
        for (const auto& part : {kernel.namespaces, kernel.landlock, kernel.filter})
            if (!part.available) GTEST_SKIP() << part.name << ": " << part.why;
        if (GetParam().ordinary && ::geteuid() != 0) GTEST_SKIP() << "this is an ordinary user already";
        for (const char* name : {"/home/conf", "/home/files"}) fs::create_directories(at(name));
    }

    /// The server may also write all of `works_in`.
    void start(const std::string& works_in = {}) {
        write(at("/home/conf/gantry.yaml"), config(works_in));
        std::vector<std::string> command{gantry_program(), "serve",       "--config",    at("/home/conf/gantry.yaml"),
                                         "--listen",       "127.0.0.1:0", "--state-dir", at("/home/state")};
        if (GetParam().ordinary) {
            give_away(folder_.path());
            const std::string id = std::to_string(kNobody);
            command.insert(command.begin(), {"/usr/bin/setpriv", "--reuid=" + id, "--regid=" + id, "--clear-groups"});
        }
        gateway_ =
            std::make_unique<Child>(Child::Options{.command = std::move(command), .env = {{"HOME", at("/home")}}});
        ASSERT_TRUE(gateway_->wait_for_output("Ctrl-C stops it")) << gateway_->err() << gateway_->out();
        const auto found = gateway_->out().find("http://");
        auto client = connect(
            options_for(HttpServer{.url = gateway_->out().substr(found, gateway_->out().find('\n', found) - found)}));
        ASSERT_TRUE(client) << client.error().to_string();
        client_.emplace(*std::move(client));
    }

    std::string config(const std::string& works_in = {}, const std::string& more = {}) const {
        const std::string tests = gantry::test_support::built_path("tests");
        const std::string write = works_in.empty() ? at("/home/files") : works_in;
        return "servers:\n  - name: evil\n    command: " + tests + "/gantry_attacking_server\n    args: [" + tests +
               "/gantry_sandbox_attacker]\n    isolation: {level: " + GetParam().level + ", read: [" + tests +
               "], write: [" + write + "]}\n" + more;
    }
    /// A server without isolation that leaves a mark.
    std::string planted() const {
        return "servers:\n  - name: mark\n    command: /bin/sh\n    args: [-c, 'touch " + at("/home/files/mark") +
               "']\n    isolation: off\n";
    }
    std::string attack(const std::string& mode, std::vector<std::string> arguments) {
        JsonArray words;
        for (std::string& word : arguments) words.emplace_back(std::move(word));
        auto result = client_->call("evil_attack", {{"mode", mode}, {"arguments", std::move(words)}});
        return result ? result->text() : "no answer: " + result.error().to_string();
    }
    std::string ask(const std::string& word, const std::string& state) const {
        Child child({.command = {gantry_program(), word, "--state-dir", state}, .env = {}});
        EXPECT_EQ(child.wait(), 0) << child.err();
        return child.out() + child.err();
    }
    std::string ask(const std::string& word) const { return ask(word, at("/home/state")); }
    /// The same attack from outside any isolation.
    void replace_folder() const {
        fs::rename(at("/home/conf"), at("/home/files/moved"));
        fs::create_directory(at("/home/conf"));
        write(at("/home/conf/gantry.yaml"), planted());
        give_away(at("/home/conf"));
        write(at("/home/files/moved/touched"), "x");
    }
    void save_by_rename(const std::string& text) const {
        write(at("/home/conf/gantry.yaml.new"), text);
        fs::rename(at("/home/conf/gantry.yaml.new"), at("/home/conf/gantry.yaml"));
    }
    void write(const std::string& file, const std::string& text) const {
        std::ofstream(file) << text;
        give_away(file);
    }
    void give_away(const std::string& path) const {
        if (!GetParam().ordinary) return;
        ASSERT_EQ(::chown(path.c_str(), kNobody, kNobody), 0);
        if (!fs::is_directory(path)) return;
        for (const auto& entry : fs::recursive_directory_iterator(path))
            ASSERT_EQ(::chown(entry.path().c_str(), kNobody, kNobody), 0);
    }
    bool marked() const { return fs::exists(at("/home/files/mark")); }
    std::string at(const std::string& path) const { return folder_.path() + path; }
    Child& gateway() { return *gateway_; }

private:
    TempDir folder_;
    std::unique_ptr<Child> gateway_;
    std::optional<Client> client_;
};
INSTANTIATE_TEST_SUITE_P(Levels, SwappedFilesTest,
                         ::testing::Values(Case{"standard", false}, Case{"strict", false}, Case{"standard", true},
                                           Case{"strict", true}),
                         name_of);

TEST_P(SwappedFilesTest, AServerCannotPutItsOwnConfigurationInThePlaceOfTheGateways) {
    start();
    const std::string outcome = attack("plant", {at("/home/conf"), at("/home/files/moved"), planted()});
    EXPECT_THAT(outcome, StartsWith("refused: "));
    // A change by the operator is applied after anything the attack might have triggered.
    save_by_rename(config({}, "  - name: second\n    url: http://127.0.0.1:1/mcp\n"));
    EXPECT_TRUE(gateway().wait_for_output("added: second")) << gateway().err();
    EXPECT_FALSE(marked());
}

TEST_P(SwappedFilesTest, AConfigurationThatCameByAnotherWayWaitsForTheOperator) {
    start();
    replace_folder();
    ASSERT_TRUE(gateway().wait_for_output("waits for gantry reload")) << gateway().err();
    EXPECT_THAT(gateway().err(), HasSubstr(at("/home/conf") + " is not what it was when the gateway started"));
    EXPECT_THAT(ask("status"), HasSubstr("waits for gantry reload"));
    EXPECT_TRUE(eventually([this] {
        Child audit({.command = {gantry_program(), "audit", "show", "--state-dir", at("/home/state")}, .env = {}});
        return audit.wait() == 0 && audit.out().contains("gantry.configuration.refused");
    }));
    EXPECT_FALSE(marked());
    EXPECT_EQ(attack("read", {"/dev/null"}), "read \n") << "the configuration before stays in force";

    EXPECT_THAT(ask("reload"), HasSubstr("configuration reloaded"));
    EXPECT_TRUE(eventually([this] { return marked(); })) << "the operator said so";
    EXPECT_THAT(ask("status"), Not(HasSubstr("waits")));
    // From here on the new folder is followed.
    save_by_rename(planted() + "demo_tools: true\n");
    EXPECT_TRUE(gateway().wait_for_output("configuration reloaded")) << gateway().err();
}

TEST_P(SwappedFilesTest, AChangeMadeWhileTheFolderWasAwayIsAppliedOnceItIsBack) {
    start();
    fs::rename(at("/home/conf"), at("/home/away"));
    write(at("/home/away/gantry.yaml.tmp"), "");  // triggers an event, so that the watch finds its folder gone
    ASSERT_TRUE(gateway().wait_for_output("the configuration file is not watched")) << gateway().err();
    write(at("/home/away/gantry.yaml"), config({}, "  - name: second\n    url: http://127.0.0.1:1/mcp\n"));
    fs::rename(at("/home/away"), at("/home/conf"));
    EXPECT_TRUE(gateway().wait_for_output("configuration reloaded; added: second")) << gateway().err();
}

TEST_P(SwappedFilesTest, WhereAServerWorksInTheFolderOfTheConfigurationChangesWait) {
    start(at("/home/conf"));
    save_by_rename(config(at("/home/conf"), "  - name: second\n    url: http://127.0.0.1:1/mcp\n"));
    ASSERT_TRUE(gateway().wait_for_output("the server evil may write its folder")) << gateway().err();
    EXPECT_THAT(ask("status"), HasSubstr("the server evil may write its folder"));
    EXPECT_THAT(ask("reload"), HasSubstr("second"));
}

TEST_P(SwappedFilesTest, TheStateFolderStaysTheOneItWas) {
    start();
    fs::rename(at("/home/state"), at("/home/files/state"));
    fs::create_directory(at("/home/state"));
    give_away(at("/home/state"));
    EXPECT_THAT(ask("status", at("/home/files/state")), HasSubstr("evil"));
    EXPECT_EQ(attack("read", {"/dev/null"}), "read \n");
    write(at("/home/conf/gantry.yaml"), config({}, "  - name: second\n    command: /bin/cat\n"));
    EXPECT_TRUE(gateway().wait_for_output("is not the folder it was when the gateway started")) << gateway().err();
    EXPECT_TRUE(fs::is_empty(at("/home/state"))) << "nothing is kept there";
}

}  // namespace
}  // namespace gantry::testing
