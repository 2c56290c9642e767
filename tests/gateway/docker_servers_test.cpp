// Servers in containers: the real docker client finds its engine in the default isolation, wherever the engine listens.
// The engine is a fake (tests/peers/python/small_engine.py) that runs examples/hello_server for every image.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <unistd.h>

#include <filesystem>

#include "gateway/person.hpp"
#include "gateway/rig.hpp"

namespace gantry::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr const char* kDefault = "/var/run/docker.sock";
constexpr gid_t kDockers = 64'123;  // the group that may use the engine

/// The fake engine, whose socket is removed with the object, also when the test is killed.
class Engine {
public:
    explicit Engine(std::string path)
        : path_(std::move(path)),
          child_({.command = {"python3", peer_file("python/small_engine.py"), path_,
                              gantry::test_support::built_path("examples/hello_server")},
                  .env = {}}) {
        EXPECT_TRUE(child_.wait_for_output("listening")) << child_.err();
    }
    ~Engine() { ::unlink(path_.c_str()); }
    Engine(const Engine&) = delete;
    Engine& operator=(const Engine&) = delete;

    bool was_asked(std::string_view request) { return child_.wait_for_output(request); }

private:
    std::string path_;
    Child child_;
};

/// Serialises tests that depend on whether the default path is free.
class Turn {
public:
    Turn()
        : fd_(::open(gantry::test_support::built_path("tests/docker.lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC,
                     0600)) {
        ::flock(fd_, LOCK_EX);
    }
    ~Turn() { ::close(fd_); }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

private:
    int fd_;
};

std::string hello_in_docker(const std::string& more = {}) {
    return plain_server("hello", {"docker", "run", "-i", "--rm", "example/hello:1"}) + more;
}

class DockerServers : public ::testing::TestWithParam<bool> {
protected:
    void SetUp() override {
        SKIP_WITHOUT_ISOLATION(person);
        if (!person.can_run({"docker", "--version"})) GTEST_SKIP() << "the docker client is not installed";
        if (Child({.command = {"/bin/sh", "-c", "python3 --version"}, .env = {}}).wait() != 0)
            GTEST_SKIP() << "python3 is not installed";
        if (fs::exists(kDefault)) GTEST_SKIP() << "there is an engine at " << kDefault << ", which is left alone";
    }
    void expect_it_works(Engine& engine, PersonsGateway& gateway) const {
        EXPECT_EQ(gateway.call("hello_add", {{"a", 2}, {"b", 3}}), "5");
        EXPECT_TRUE(engine.was_asked("POST /containers/create example/hello:1"));
        EXPECT_THAT(gateway.said(), Not(HasSubstr("isolation lacks"))) << "every part of isolation holds";
    }
    /// Restricts it to a group of its own, as the engine's socket usually is.
    void give(const std::string& path) const {
        if (GetParam()) ASSERT_EQ(::lchown(path.c_str(), 0, kDockers), 0);
    }

    Turn turn;
    Person person{GetParam()};
};
INSTANTIATE_TEST_SUITE_P(ByDefault, DockerServers, ::testing::Bool(),
                         [](const auto& info) { return info.param ? "AsAnOrdinaryUser" : "AsTheUserOfTheTests"; });

TEST_P(DockerServers, ReachTheEngineOfTheMachineWhichOtherServersDoNotSee) {
    if (::geteuid() != 0) GTEST_SKIP() << "only root can listen at " << kDefault;
    Engine engine(kDefault);
    give(kDefault);
    person.join(kDockers);
    const std::string tests = gantry::test_support::built_path("tests");
    PersonsGateway gateway(person, hello_in_docker(plain_server("evil", {tests + "/gantry_attacking_server",
                                                                         tests + "/gantry_sandbox_attacker"})));
    expect_it_works(engine, gateway);
    EXPECT_THAT(gateway.call("evil_attack", {{"mode", "connect-local"}, {"arguments", JsonArray{kDefault}}}),
                StartsWith("refused: "));
}

TEST_P(DockerServers, ReachTheEngineOfADesktopThoughTheFolderAroundItIsHidden) {
    const std::string folder = person.home() + "/.docker";
    person.put(folder + "/config.json", R"({"auths":{"registry.example":{"auth":"c2VjcmV0"}}})");
    person.put(folder + "/desktop/log", "");
    const std::string socket = folder + "/desktop/docker.sock";
    Engine engine(socket);
    give(socket);
    person.join(kDockers);
    PersonsGateway gateway(person, hello_in_docker());
    expect_it_works(engine, gateway);
}

TEST_P(DockerServers, ReachTheEngineThatTheirEnvironmentNames) {
    const std::string socket = person.elsewhere() + "/engine.sock";
    Engine engine(socket);
    give(socket);
    person.join(kDockers);
    PersonsGateway gateway(person, hello_in_docker("    env: {DOCKER_HOST: \"unix://" + socket + "\"}\n"));
    expect_it_works(engine, gateway);
}

}  // namespace
}  // namespace gantry::testing
