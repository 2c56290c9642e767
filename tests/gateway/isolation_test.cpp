// A malicious server behind a real gateway, at both levels of isolation, for the user of the tests and for an
// unprivileged one. Every variant of every attack: gateway/sandbox/attacks_test.cpp.
#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "gateway/rig.hpp"
#include "gateway/sandbox/kernel.hpp"
#include "support/paths.hpp"

namespace gantry::testing {
namespace {

using ::testing::StartsWith;
namespace fs = std::filesystem;

constexpr uid_t kNobody = 65534;

struct Case {
    const char* level;
    bool ordinary;  // an unprivileged user starts the gateway
};
std::string name_of(const ::testing::TestParamInfo<Case>& info) {
    return std::string(info.param.level) + (info.param.ordinary ? "AsAnOrdinaryUser" : "");
}

/// A listener on this machine that must not be reached.
class Listener {
public:
    Listener() : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof address;
        EXPECT_EQ(::bind(fd_, reinterpret_cast<sockaddr*>(&address), size), 0);
        EXPECT_EQ(::listen(fd_, 4), 0);
        ::getsockname(fd_, reinterpret_cast<sockaddr*>(&address), &size);
        port = std::to_string(ntohs(address.sin_port));
    }
    ~Listener() { ::close(fd_); }
    std::string port;

private:
    int fd_;
};

class IsolationTest : public ::testing::TestWithParam<Case> {
protected:
    void SetUp() override {
        const auto& kernel = gateway::sandbox::kernel();
        for (const auto& part : {kernel.namespaces, kernel.network, kernel.landlock, kernel.filter})
            if (!part.available) GTEST_SKIP() << part.name << ": " << part.why;
        if (GetParam().ordinary && ::geteuid() != 0) GTEST_SKIP() << "this is an ordinary user already";
        const std::string& base = folder_.path();
        for (const char* name : {"/home/.ssh", "/elsewhere"}) fs::create_directories(base + name);
        std::ofstream(base + "/home/.ssh/id") << "the key";
        std::ofstream(base + "/elsewhere/file") << "the file";
        std::ofstream(base + "/gantry.yaml") << config();
        std::vector<std::string> command{gantry_program(), "serve",       "--config",    base + "/gantry.yaml",
                                         "--listen",       "127.0.0.1:0", "--state-dir", base + "/state"};
        if (GetParam().ordinary) {
            ASSERT_EQ(::chown(base.c_str(), kNobody, kNobody), 0);
            for (const auto& entry : fs::recursive_directory_iterator(base))
                ASSERT_EQ(::chown(entry.path().c_str(), kNobody, kNobody), 0);
            const std::string id = std::to_string(kNobody);
            command.insert(command.begin(), {"/usr/bin/setpriv", "--reuid=" + id, "--regid=" + id, "--clear-groups"});
        }
        gateway_ =
            std::make_unique<Child>(Child::Options{.command = std::move(command), .env = {{"HOME", base + "/home"}}});
        ASSERT_TRUE(gateway_->wait_for_output("Ctrl-C stops it")) << gateway_->err() << gateway_->out();
        const auto at = gateway_->out().find("http://");
        auto client =
            connect(options_for(HttpServer{.url = gateway_->out().substr(at, gateway_->out().find('\n', at) - at)}));
        ASSERT_TRUE(client) << client.error().to_string();
        client_.emplace(*std::move(client));
    }

    /// Replaces the configuration while the gateway runs, as the operator would.
    void write_config(const std::string& isolation) const {
        const std::string file = folder_.path() + "/gantry.yaml";
        std::ofstream(file) << config(isolation);
    }

    std::string config() const { return config(std::string(GetParam().level) + ", network: none"); }
    std::string config(const std::string& isolation) const {
        const std::string tests = gantry::test_support::built_path("tests");
        return "servers:\n  - name: evil\n    command: " + tests + "/gantry_attacking_server\n    args: [" + tests +
               "/gantry_sandbox_attacker]\n    isolation: {level: " + isolation + ", read: [" + tests +
               "], memory: 96MB, processes: 48}\n";
    }
    /// The attacker's output, or the reason why there is none.
    std::string attack(const std::string& mode, std::vector<std::string> arguments = {}) {
        JsonArray words;
        for (std::string& word : arguments) words.emplace_back(std::move(word));
        auto result = client_->call("evil_attack", {{"mode", mode}, {"arguments", std::move(words)}});
        return result ? result->text() : "no answer: " + result.error().to_string();
    }
    /// A killed server is restarted, and then works as before.
    void expect_it_comes_back() {
        EXPECT_TRUE(eventually([this] { return attack("memory", {"8"}) == "ate 8 MB\n"; }));
    }
    std::string at(const std::string& path) const { return folder_.path() + path; }
    Child& gateway() { return *gateway_; }

private:
    TempDir folder_;
    std::unique_ptr<Child> gateway_;
    std::optional<Client> client_;
};
INSTANTIATE_TEST_SUITE_P(Levels, IsolationTest,
                         ::testing::Values(Case{"standard", false}, Case{"strict", false}, Case{"standard", true},
                                           Case{"strict", true}),
                         name_of);

TEST_P(IsolationTest, FailsAtEachOfTheFiveAttacks) {
    EXPECT_EQ(attack("memory", {"8"}), "ate 8 MB\n") << "what is allowed works";

    EXPECT_THAT(attack("read", {at("/home/.ssh/id")}), StartsWith("refused: "));
    EXPECT_THAT(attack("list", {at("/state/approvals")}), StartsWith("refused: ")) << "the gateway's own folder";
    if (std::string_view(GetParam().level) == "strict") {
        EXPECT_THAT(attack("read", {at("/elsewhere/file")}), StartsWith("refused: "));
    }

    const Listener listener;
    EXPECT_THAT(attack("connect", {"127.0.0.1", listener.port}), StartsWith("refused: "));

    EXPECT_EQ(attack("sees", {at("/gantry.yaml")}), "sees 0\n") << "the gateway";
    EXPECT_THAT(attack("read", {"/proc/" + std::to_string(gateway().pid()) + "/environ"}), StartsWith("refused: "));

    const std::string bomb = attack("bomb");
    EXPECT_TRUE(bomb == "stopped\n" || bomb.starts_with("no answer: ")) << bomb;
    expect_it_comes_back();

    EXPECT_THAT(attack("memory", {"4096"}), StartsWith("no answer: "));
    EXPECT_TRUE(gateway().wait_for_output("more memory than its isolation allows")) << "the operator is told why";
    expect_it_comes_back();
}

TEST_P(IsolationTest, CallsNoToolThroughTheGateway) {
    const std::string& out = gateway().out();
    const auto at_port = out.find("127.0.0.1:") + 10;
    const std::string port = std::to_string(std::stoi(out.substr(at_port)));
    if (std::string_view(GetParam().level) == "strict") {
        EXPECT_THAT(attack("call-home", {port, "plain", "/mcp/tools"}), StartsWith("refused: "));
        return;
    }
    write_config("standard, network: open");
    ASSERT_TRUE(gateway().wait_for_output("configuration reloaded")) << gateway().err();
    EXPECT_EQ(attack("call-home", {port, "plain", "/mcp/tools"}), "HTTP/1.1 403 Forbidden\n");
    EXPECT_TRUE(gateway().wait_for_output("a connection of the isolated server evil was refused"));
    write_config("standard, network: open, gateway: true");
    EXPECT_TRUE(eventually([&] { return attack("call-home", {port, "plain", "/mcp/tools"}) == "HTTP/1.1 200 OK\n"; }));
}

}  // namespace
}  // namespace gantry::testing
