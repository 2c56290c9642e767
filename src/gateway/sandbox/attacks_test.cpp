// The five most likely attacks of a malicious server, by every known way, at both levels of isolation. As root
// everything runs a second time as an ordinary user: see the end of sandbox_test.cpp.

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cstddef>

#include "gateway/sandbox/kernel.hpp"
#include "gateway/sandbox/test_box.hpp"

namespace gantry::gateway::sandbox {
namespace {

namespace fs = std::filesystem;
using testing::Box;
using ::testing::TestWithParam;

/// A socket of the test that must not be reachable; `family` and `type` as for socket().
class Target {
public:
    Target(int family, int type) : fd_(::socket(family, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)) {
        sockaddr_storage address{};
        address.ss_family = static_cast<sa_family_t>(family);
        socklen_t size = sizeof(sockaddr_in);
        if (family == AF_INET) reinterpret_cast<sockaddr_in&>(address).sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        if (family == AF_INET6) {
            reinterpret_cast<sockaddr_in6&>(address).sin6_addr = in6addr_loopback;
            size = sizeof(sockaddr_in6);
        }
        if (family == AF_UNIX) {
            name = "gantry-attacks-" + std::to_string(::getpid());
            name.copy(reinterpret_cast<sockaddr_un&>(address).sun_path + 1, name.size());
            size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
        }
        usable = ::bind(fd_.get(), reinterpret_cast<sockaddr*>(&address), size) == 0 &&
                 (type == SOCK_DGRAM || ::listen(fd_.get(), 4) == 0);
        size = sizeof address;
        ::getsockname(fd_.get(), reinterpret_cast<sockaddr*>(&address), &size);
        // At the same offset in both families.
        port = std::to_string(ntohs(reinterpret_cast<sockaddr_in&>(address).sin_port));
    }
    /// Whether anything has arrived.
    bool reached() const {
        char byte = 0;
        if (::recv(fd_.get(), &byte, 1, 0) == 1) return true;
        const Fd peer(::accept(fd_.get(), nullptr, nullptr));
        return bool(peer);
    }
    bool usable = false;
    std::string port;
    std::string name;

private:
    Fd fd_;
};

class Attack : public TestWithParam<IsolationLevel> {
protected:
    void SetUp() override {
        for (const Offer& part : {kernel().namespaces, kernel().network, kernel().landlock, kernel().filter})
            if (!part.available) GTEST_SKIP() << part.name << ": " << part.why;
        isolate();
    }
    void isolate() {
        box.wish() = {.level = GetParam(), .network = NetworkAccess::kNone};
        box.sandbox.reset();
    }
    void leave_open() {
        box.wish() = {.level = IsolationLevel::kOff};
        box.sandbox.reset();
    }
    Box box;
};
INSTANTIATE_TEST_SUITE_P(Isolation, Attack, ::testing::Values(IsolationLevel::kStandard, IsolationLevel::kStrict),
                         testing::level_name);

TEST_P(Attack, AForbiddenFileIsReadByNoWay) {
    std::vector<std::string> ways;
    for (const char* file : {"/home/.ssh/id", "/state/sealing.key"}) {
        const std::string plain = box.base + file;
        ways.insert(ways.end(), {plain, box.base + "/home/project/../.." + file, "/proc/1/root" + plain,
                                 "/proc/self/root" + plain, "/proc/self/cwd/../../../../../../../.." + plain});
    }
    // Links created beforehand lead to what is hidden, not around it.
    fs::create_symlink(box.base + "/home/.ssh/id", box.base + "/home/project/link");
    ways.push_back(box.base + "/home/project/link");
    for (const std::string& way : ways) EXPECT_EQ(box.say({"read", way}).find("key"), std::string::npos) << way;
    if (GetParam() == IsolationLevel::kStrict) {
        EXPECT_TRUE(box.say({"read", box.base + "/elsewhere/file"}).starts_with("refused: "));
    }
    leave_open();
    EXPECT_EQ(box.say({"read", ways[0]}), "read the key") << "the attack itself works";
    EXPECT_EQ(box.say({"read", ways.back()}), "read the key");
}

TEST_P(Attack, NoHostIsReachedByNoProtocol) {
    const Target tcp(AF_INET, SOCK_STREAM);
    const Target six(AF_INET6, SOCK_STREAM);
    const Target udp(AF_INET, SOCK_DGRAM);
    const Target abstract(AF_UNIX, SOCK_STREAM);
    ASSERT_TRUE(tcp.usable && udp.usable && abstract.usable);
    const auto try_all = [&] {
        box.say({"connect", "127.0.0.1", tcp.port});
        box.say({"connect-six", six.port});
        box.say({"datagram", "127.0.0.1", udp.port});
        box.say({"connect-abstract", abstract.name});
    };
    try_all();
    EXPECT_FALSE(tcp.reached());
    EXPECT_FALSE(six.reached());
    EXPECT_FALSE(udp.reached());
    EXPECT_FALSE(abstract.reached());
    leave_open();
    try_all();
    EXPECT_TRUE(tcp.reached()) << "the attack itself works";
    if (six.usable) EXPECT_TRUE(six.reached());
    EXPECT_TRUE(udp.reached());
    EXPECT_TRUE(abstract.reached());
}

TEST_P(Attack, NoOtherProcessIsSeenOrHasANumber) {
    const std::string tests = "gantry_gateway_sandbox_test";
    EXPECT_EQ(box.say({"strangers"}), "0 strangers");
    EXPECT_EQ(box.say({"numbers"}), "0 strangers");
    EXPECT_EQ(box.say({"sees", tests}), "sees 0");
    EXPECT_TRUE(box.say({"read", "/proc/" + std::to_string(::getpid()) + "/environ"}).starts_with("refused: "));
    leave_open();
    EXPECT_NE(box.say({"strangers"}), "0 strangers") << "the attack itself works";
    EXPECT_NE(box.say({"numbers"}), "0 strangers");
    EXPECT_NE(box.say({"sees", tests}), "sees 0");
}

TEST_P(Attack, AForkBombIsStoppedAndNothingOfItIsLeft) {
    box.wish().processes = 40;
    box.wish().write = {box.base + "/home/project"};
    const std::string path = box.base + "/home/project/fifo";
    ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
    const Fd fifo(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    const auto told = box.run({"bomb", path});
    EXPECT_TRUE(told.text == "stopped" || told.status.outgrew == "processes")
        << told.text << ", " << told.status.to_string();
    // Every process that was ever part of it holds the pipe open.
    ::pollfd ended{.fd = fifo.get(), .events = POLLIN, .revents = 0};
    ASSERT_EQ(::poll(&ended, 1, 60'000), 1);
    char byte = 0;
    while (::read(fifo.get(), &byte, 1) == 1) {}
    EXPECT_EQ(::read(fifo.get(), &byte, 1), 0) << "somebody is left";
    EXPECT_NE(box.say({"parent"}), "") << "the machine goes on";
}

TEST_P(Attack, MemoryIsNotExhaustedByOneByManyOrByFiles) {
    constexpr std::size_t kLimit = 64;  // MB
    box.wish().memory = kLimit << 20;
    EXPECT_EQ(box.run({"memory", "4096"}).status.outgrew, "memory");
    EXPECT_EQ(box.run({"family", "8", "24"}).status.outgrew, "memory") << "eight small ones";
    // Memory-backed files: limited by the size of their folder, or accounted.
    const auto filled = box.run({"fill", "path:/dev/shm/gantry-attack", "512"});
    EXPECT_TRUE(filled.text.starts_with("stopped at ") || filled.text.starts_with("refused: ") ||
                filled.status.outgrew == "memory")
        << filled.text;
    EXPECT_FALSE(fs::exists("/dev/shm/gantry-attack"));
    EXPECT_EQ(box.say({"memory", "16"}), "ate 16 MB") << "what is allowed works";
}

}  // namespace
}  // namespace gantry::gateway::sandbox
