// A gateway that ends, is killed or is reloaded repeatedly leaves no processes behind: neither its servers nor what
// they started in sessions of their own.

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <random>

#include "gateway/rig.hpp"
#include "support/paths.hpp"

namespace gantry::testing {
namespace {

/// A named pipe whose end means that every process which held it is dead.
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
    /// 'r' when its holder has started, 0 when it is dead, -1 after a minute without either.
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
    return "  - {name: " + name + ", command: " + gantry::test_support::built_path("tests/gantry_sandbox_attacker") +
           ", args: [keep, " + line.path() + "], isolation: " + isolation + "}\n";
}

TEST(Orphans, NobodyIsLeftWhenTheGatewayIsKilledWithSigkill) {
    const TempDir folder;
    const std::string pipes = folder.path() + "/pipes";
    mkdir(pipes.c_str(), 0700);
    for (int round = 0; round < 5; ++round) {
        const std::string at = pipes + "/" + std::to_string(round);
        const Line off(at + "off"), standard(at + "standard"), strict(at + "strict");
        const std::string strict_level = "{level: strict, write: [" + pipes + "]}";
        // Started without waiting for the servers: none of them ever answers.
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

/// Processes that have this pipe open, except for the test itself.
std::vector<int> holders_of(const std::string& pipe) {
    namespace fs = std::filesystem;
    std::vector<int> pids;
    std::error_code error;
    for (fs::directory_iterator process("/proc", error), end; !error && process != end; process.increment(error)) {
        const std::string name = process->path().filename();
        if (name.find_first_not_of("0123456789") != std::string::npos || std::stoi(name) == getpid()) continue;
        std::error_code gone;
        for (fs::directory_iterator file(process->path() / "fd", gone); !gone && file != end; file.increment(gone)) {
            std::error_code closed;
            if (fs::read_symlink(file->path(), closed) != pipe) continue;
            pids.push_back(std::stoi(name));
            break;
        }
    }
    return pids;
}

/// A series of configurations whose servers' process families hold one pipe: a shell's child in its own session that
/// ignores polite signals, and its descendants.
class Storm {
public:
    explicit Storm(unsigned seed) : random_(seed), pipes_(folder_.path() + "/pipes"), line_(make_folder() + "/line") {
        write();
        gateway_ =
            std::make_unique<Child>(Child::Options{.command = {gantry_program(), "serve", "--config", file(),
                                                               "--listen", "127.0.0.1:0", "--state-dir", state()},
                                                   .env = {}});
        EXPECT_TRUE(gateway_->wait_for_output("Ctrl-C stops it")) << gateway_->err();
    }

    /// Applies another configuration in one of three ways, and perhaps kills some processes.
    void blow() {
        write();
        switch (random_() % 3) {
            case 0: break;  // the file is watched
            case 1: ::kill(gateway_->pid(), SIGHUP); break;
            default:
                commands_.push_back(std::make_unique<Child>(
                    Child::Options{.command = {gantry_program(), "reload", "--state-dir", state()}, .env = {}}));
        }
        std::vector<int> victims = holders_of(line_.path());
        std::ranges::shuffle(victims, random_);
        victims.resize(std::min<std::size_t>(victims.size(), random_() % 4));
        for (const int pid : victims) killed_ += ::kill(pid, SIGKILL) == 0;
    }

    /// The last configuration is active, with its servers and their families.
    bool settles() {
        for (const auto& command : commands_) EXPECT_EQ(command->wait(), 0) << command->err();
        Child last({.command = {gantry_program(), "reload", "--state-dir", state()}, .env = {}});
        EXPECT_EQ(last.wait(), 0) << last.err();
        return eventually([this] { return !holders_of(line_.path()).empty(); });
    }

    Child& gateway() noexcept { return *gateway_; }
    const Line& line() const noexcept { return line_; }
    int killed() const noexcept { return killed_; }
    /// How often a reload was requested by command; it succeeded every time.
    std::size_t commands() const noexcept { return commands_.size(); }

private:
    std::string make_folder() const {
        mkdir(pipes_.c_str(), 0700);
        return pipes_;
    }
    std::string file() const { return folder_.path() + "/gantry.yaml"; }
    std::string state() const { return folder_.path() + "/state"; }

    /// Each server is present or not, unchanged or changed, isolated or not.
    void write() {
        std::string text = "servers:\n";
        for (int i = 0; i < 4; ++i) {
            if (i > 0 && random_() % 3 == 0) continue;
            text += "  - name: s" + std::to_string(i) + "\n    command: sh\n    args:\n      - -c\n      - |\n" +
                    "        exec 9> \"$0\"\n" +
                    "        (setsid sh -c 'trap \"\" TERM HUP INT; while :; do sleep 1000; done' < /dev/null > "
                    "/dev/null &)\n" +
                    "        exec " + gantry::test_support::built_path("examples/everything_server") + " --stdio\n" +
                    "      - " + line_.path() + "\n    env: {VARIANT: \"" + std::to_string(random_() % 2) + "\"}\n" +
                    "    isolation: " + (i % 2 == 0 ? "off" : "standard") + "\n";
        }
        std::ofstream(file() + ".new") << text;
        std::filesystem::rename(file() + ".new", file());
    }

    std::mt19937 random_;
    TempDir folder_;
    std::string pipes_;
    Line line_;
    std::unique_ptr<Child> gateway_;
    std::vector<std::unique_ptr<Child>> commands_;
    int killed_ = 0;
};

TEST(Orphans, NobodyIsLeftAfterAStormOfReloadsWithRandomKills) {
    Storm storm(20260728);
    for (int i = 0; i < 150; ++i) storm.blow();
    ASSERT_TRUE(storm.settles()) << storm.gateway().err();
    EXPECT_GT(storm.killed(), 20) << "or it was no storm";
    EXPECT_GT(storm.commands(), 20u);
    ASSERT_EQ(kill(storm.gateway().pid(), SIGTERM), 0);
    EXPECT_EQ(storm.gateway().wait(), 0) << storm.gateway().err();
    EXPECT_EQ(storm.line().next(), 0) << "somebody still holds the pipe";
    EXPECT_TRUE(holders_of(storm.line().path()).empty());
}

TEST(Orphans, NobodyIsLeftWhenTheGatewayIsKilledInAStormOfReloads) {
    for (const unsigned seed : {1u, 2u, 3u}) {
        Storm storm(seed);
        for (unsigned i = 0; i < 5 * seed; ++i) storm.blow();
        ASSERT_EQ(kill(storm.gateway().pid(), SIGKILL), 0);
        EXPECT_EQ(storm.line().next(), 0) << "somebody still holds the pipe";
        EXPECT_TRUE(holders_of(storm.line().path()).empty());
    }
}

}  // namespace
}  // namespace gantry::testing
