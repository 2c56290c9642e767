#include "gateway/sandbox/engines.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "gateway/sandbox/test_box.hpp"

namespace gantry::gateway::sandbox {
namespace {

namespace fs = std::filesystem;
using testing::Box;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::UnorderedElementsAre;

/// Binds a socket without listening on it.
void make_socket(const std::string& path) {
    fs::create_directories(fs::path(path).parent_path());
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    ASSERT_LT(path.size(), sizeof address.sun_path);
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    const Fd made(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    ASSERT_EQ(bind(made.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
}

TEST(Engines, OnlyTheirClientsHaveOne) {
    EXPECT_THAT(engine_of({.program = "/bin/sh", .env = {{"DOCKER_HOST", "unix:///x"}}}, {}).sockets, IsEmpty());
    EXPECT_THAT(engine_of({.program = "/usr/bin/podman"}, {}).sockets, ElementsAre("/run/podman"));
}

TEST(Engines, TheOneThatIsNamedWins) {
    const Box box;
    const std::string socket = box.base + "/home/engine.sock";
    make_socket(socket);
    Places places = box.options.places;
    places.engine = "unix://" + socket;
    EXPECT_THAT(engine_of({.program = "docker"}, places).sockets, ElementsAre(socket));
    EXPECT_EQ(engine_of({.program = "docker"}, places).address, places.engine);
    const Engine given = engine_of({.program = "docker", .env = {{"DOCKER_HOST", "tcp://engine:2376"}}}, places);
    EXPECT_THAT(given.sockets, IsEmpty());
    EXPECT_EQ(given.address, "tcp://engine:2376");
}

TEST(Engines, NothingButASocketIsShownForAName) {
    const Box box;
    for (const std::string& path : {box.base + "/home/.ssh", box.base + "/home/.netrc", std::string()}) {
        const process::Command command{.program = "docker", .env = {{"DOCKER_HOST", "unix://" + path}}};
        EXPECT_THAT(engine_of(command, box.options.places).sockets, IsEmpty()) << path;
    }
}

TEST(Engines, TheUsersOwnIsFoundWhereTheMachineHasNone) {
    if (fs::exists("/run/docker.sock")) GTEST_SKIP() << "there is an engine on this machine";
    const Box box;
    const std::string socket = box.base + "/home/.docker/desktop/docker.sock";
    make_socket(socket);
    EXPECT_EQ(engine_of({.program = "docker"}, box.options.places).address, "unix://" + socket);
}

TEST(Engines, AroundWhatIsShownEverythingElseStaysHidden) {
    const Box box;
    const std::string folder = box.base + "/home/.docker";
    make_socket(folder + "/desktop/docker.sock");
    for (const char* name : {"/config.json", "/desktop/other"}) box.put("/home/.docker" + std::string(name), "secret");
    fs::create_directories(folder + "/contexts/meta");
    fs::create_symlink("/usr/bin", folder + "/link");
    std::vector<std::string> hide = {box.base + "/home/.ssh", folder};
    show_in_hidden(hide, folder + "/desktop/docker.sock");
    EXPECT_THAT(hide, UnorderedElementsAre(box.base + "/home/.ssh", folder + "/config.json", folder + "/contexts",
                                           folder + "/desktop/other"));
}

TEST(Engines, AClientSeesItsSocketAndNothingElseOfAHiddenFolder) {
    if (!kernel().namespaces.available) GTEST_SKIP() << kernel().namespaces.why;
    Box box;
    const std::string folder = box.base + "/home/.docker";
    make_socket(folder + "/desktop/docker.sock");
    box.put("/home/.docker/config.json", "the password");
    fs::create_directories(folder + "/contexts");
    box.put("/home/.docker/contexts/key", "the key");
    // The client is identified by its file name.
    fs::create_directories(box.base + "/elsewhere/bin");
    const std::string docker = box.base + "/elsewhere/bin/docker";
    fs::copy_file(testing::kAttacker, docker);
    box.server.command = docker;
    box.options.places.engine = "unix://" + folder + "/desktop/docker.sock";
    EXPECT_EQ(box.say({"connect-local", "path:" + folder + "/desktop/docker.sock"}), "refused: ECONNREFUSED");
    EXPECT_EQ(box.say({"read", "path:" + folder + "/config.json"}), "read ");
    EXPECT_THAT(box.say({"read", "path:" + folder + "/contexts/key"}), ::testing::StartsWith("refused: "));
    EXPECT_THAT(box.notes, IsEmpty());
    box.server.command = testing::kAttacker;
    EXPECT_THAT(box.say({"connect-local", folder + "/desktop/docker.sock"}), Not("refused: ECONNREFUSED"));
}

}  // namespace
}  // namespace gantry::gateway::sandbox
