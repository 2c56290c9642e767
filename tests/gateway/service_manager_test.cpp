// The gateway as a service: systemd's protocols for inherited sockets and for readiness, without systemd.
#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>

#include "gateway/rig.hpp"

namespace gantry::testing {
namespace {

using ::testing::HasSubstr;

/// The socket on which a service manager receives READY=1 and other messages.
class NotifySocket {
public:
    NotifySocket() : fd_(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        path().copy(address.sun_path, sizeof address.sun_path - 1);
        EXPECT_EQ(::bind(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    }
    ~NotifySocket() { ::close(fd_); }
    NotifySocket(const NotifySocket&) = delete;
    NotifySocket& operator=(const NotifySocket&) = delete;

    std::string path() const { return folder_.path() + "/notify"; }
    /// The next message; empty after a minute without one.
    std::string next() const {
        pollfd waiting{.fd = fd_, .events = POLLIN, .revents = 0};
        if (::poll(&waiting, 1, 60'000) != 1) return {};
        std::array<char, 256> text{};
        const ssize_t got = ::recv(fd_, text.data(), text.size(), 0);
        return got > 0 ? std::string(text.data(), static_cast<std::size_t>(got)) : std::string();
    }

private:
    TempDir folder_;
    int fd_;
};

/// A socket that a child inherits.
class InheritableSocket {
public:
    explicit InheritableSocket(const char* host, bool listens = true) : fd_(::socket(AF_INET, SOCK_STREAM, 0)) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        EXPECT_EQ(::inet_pton(AF_INET, host, &address.sin_addr), 1);
        EXPECT_EQ(::bind(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
        if (listens) EXPECT_EQ(::listen(fd_, 16), 0);
        socklen_t size = sizeof address;
        EXPECT_EQ(::getsockname(fd_, reinterpret_cast<sockaddr*>(&address), &size), 0);
        port_ = ntohs(address.sin_port);
    }
    ~InheritableSocket() { ::close(fd_); }
    InheritableSocket(const InheritableSocket&) = delete;
    InheritableSocket& operator=(const InheritableSocket&) = delete;

    int fd() const noexcept { return fd_; }
    int port() const noexcept { return port_; }

private:
    int fd_;
    int port_ = 0;
};

/// `gantry serve` with `socket` as descriptor 3, as systemd would start it; the configuration names another port.
std::vector<std::string> activated(const TempDir& folder, const InheritableSocket& socket,
                                   const std::string& pid = "$$") {
    std::ofstream(folder.path() + "/gantry.yaml") << "listen: 127.0.0.1:0\ndemo_tools: true\n";
    return {"/bin/bash", "-c",
            "exec 3<&" + std::to_string(socket.fd()) + "; LISTEN_FDS=1 LISTEN_PID=" + pid + " exec " +
                gantry_program() + " serve --config " + folder.path() + "/gantry.yaml --state-dir " + folder.path() +
                "/state"};
}

TEST(ServiceManager, IsToldWhenTheGatewayIsReadyAndWhenItStops) {
    const NotifySocket manager;
    const TempDir folder;
    std::ofstream(folder.path() + "/gantry.yaml") << "listen: 127.0.0.1:0\ndemo_tools: true\n";
    Child gateway({.command = {gantry_program(), "serve", "--config", folder.path() + "/gantry.yaml", "--state-dir",
                               folder.path() + "/state"},
                   .env = {{"NOTIFY_SOCKET", manager.path()}}});
    EXPECT_EQ(manager.next(), "READY=1");
    ASSERT_TRUE(gateway.wait_for_output("Ctrl-C stops it")) << gateway.err();
    ::kill(gateway.pid(), SIGTERM);
    EXPECT_EQ(manager.next(), "STOPPING=1");
    EXPECT_EQ(gateway.wait(), 0) << gateway.err();
}

TEST(ServiceManager, HandsOverASocketThatCountsInsteadOfTheConfiguredAddress) {
    const InheritableSocket socket("127.0.0.1");
    const TempDir folder;
    Child gateway({.command = activated(folder, socket), .env = {}});
    ASSERT_TRUE(gateway.wait_for_output("Ctrl-C stops it")) << gateway.err();
    const std::string url = "http://127.0.0.1:" + std::to_string(socket.port()) + "/mcp";
    EXPECT_THAT(gateway.out(), HasSubstr("gantry serves MCP at " + url));
    auto client = connect(options_for(HttpServer{.url = url}));
    ASSERT_TRUE(client.has_value()) << client.error().to_string();
    const auto answer = client->call("demo_echo", {{"message", "through the inherited socket"}});
    ASSERT_TRUE(answer.has_value()) << answer.error().to_string();
    EXPECT_EQ(answer->text(), "through the inherited socket");
}

TEST(ServiceManager, CannotOpenTheGatewayToOtherMachinesBySocket) {
    const InheritableSocket socket("0.0.0.0");
    const TempDir folder;
    Child gateway({.command = activated(folder, socket), .env = {}});
    EXPECT_NE(gateway.wait(), 0);
    EXPECT_THAT(gateway.err(), HasSubstr("allow_unauthenticated"));
}

TEST(ServiceManager, IsToldWhatIsWrongWithItsSocket) {
    const InheritableSocket socket("127.0.0.1", false);
    const TempDir folder;
    Child gateway({.command = activated(folder, socket), .env = {}});
    EXPECT_EQ(gateway.wait(), 2) << gateway.err();
    EXPECT_THAT(gateway.err(), HasSubstr("LISTEN_FDS"));
}

TEST(ServiceManager, SocketsMeantForAnotherProcessAreLeftAlone) {
    const InheritableSocket socket("127.0.0.1");
    const TempDir folder;
    Child gateway({.command = activated(folder, socket, "1"), .env = {}});
    ASSERT_TRUE(gateway.wait_for_output("Ctrl-C stops it")) << gateway.err();
    EXPECT_THAT(gateway.out(), ::testing::Not(HasSubstr(":" + std::to_string(socket.port()) + "/")));
}

}  // namespace
}  // namespace gantry::testing
