// A gateway that is killed leaves nobody: not its servers, not what they started in sessions of their own.

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>

#include <csignal>

#include "gateway/rig.hpp"

namespace gantry::testing {
namespace {

/// A named pipe whose end tells that every process which held it is dead.
class Line {
public:
    explicit Line(std::string path) : path_(std::move(path)) {
        mkfifo(path_.c_str(), 0600);
        fd_ = open(path_.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    }
    ~Line() { close(fd_); }
    Line(const Line&) = delete;
    Line& operator=(const Line&) = delete;

    const std::string& path() const noexcept { return path_; }
    /// 'r' when its holder is there, 0 when it is dead, -1 when nothing happens for a minute.
    int next() const {
        pollfd ready{fd_, POLLIN, 0};
        if (poll(&ready, 1, 60'000) != 1) return -1;
        char byte = 0;
        return read(fd_, &byte, 1) == 1 ? byte : 0;
    }

private:
    std::string path_;
    int fd_ = -1;
};

/// A server that leaves a grandchild in another session and then waits for its input to end.
std::string family(const std::string& name, const std::string& isolation, const Line& line) {
    return "  - {name: " + name + ", command: " GANTRY_BINARY_DIR "/tests/gantry_sandbox_attacker, args: [keep, " +
           line.path() + "], isolation: " + isolation + "}\n";
}

TEST(Orphans, NobodyIsLeftWhenTheGatewayIsKilledWithSigkill) {
    const TempDir folder;
    const std::string pipes = folder.path() + "/pipes";
    mkdir(pipes.c_str(), 0700);
    for (int round = 0; round < 5; ++round) {
        const std::string at = pipes + "/" + std::to_string(round);
        const Line off(at + "off"), standard(at + "standard"), strict(at + "strict");
        const std::string strict_level = "{level: strict, write: [" + pipes + "]}";
        // Not waited for by the gateway: none of them says a word.
        const std::string file = folder.path() + "/gantry.yaml";
        std::ofstream(file) << "servers:\n"
                            << family("a", "off", off) << family("b", "standard", standard)
                            << family("c", strict_level, strict);
        Child gateway({.command = {gantry_program(), "serve", "--config", file, "--listen", "127.0.0.1:0",
                                   "--state-dir", folder.path() + "/state"},
                       .env = {}});
        for (const Line* line : {&off, &standard, &strict})
            ASSERT_EQ(line->next(), 'r') << line->path() << gateway.err();
        ASSERT_EQ(kill(gateway.pid(), SIGKILL), 0);
        for (const Line* line : {&off, &standard, &strict}) EXPECT_EQ(line->next(), 0) << line->path();
        EXPECT_TRUE(eventually([&] { return processes_with(at).empty(); }));
    }
}

}  // namespace
}  // namespace gantry::testing
