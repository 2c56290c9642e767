// `gantry stdio` whose client does not read its output.
#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>

#include <csignal>
#include <set>

#include "bad_clients/bad_servers.hpp"
#include "bad_clients/rig.hpp"

namespace gantry::testing {
namespace {

using ::testing::HasSubstr;

constexpr std::size_t kMegabyte = 1u << 20;

/// A program whose pipes the test controls: its output is read only when a test says so.
class Piped {
public:
    explicit Piped(const std::vector<std::string>& command) {
        int in[2];
        int out[2];
        if (::pipe2(in, O_CLOEXEC) != 0 || ::pipe2(out, O_CLOEXEC) != 0) std::abort();
        std::vector<char*> words;
        for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
        words.push_back(nullptr);
        pid_ = ::fork();
        if (pid_ == 0) {
            ::dup2(in[0], STDIN_FILENO);
            ::dup2(out[1], STDOUT_FILENO);
            ::execv(words[0], words.data());
            ::_exit(127);
        }
        ::close(in[0]);
        ::close(out[1]);
        to_ = in[1];
        from_ = out[0];
        ::fcntl(to_, F_SETFL, O_NONBLOCK);
    }
    ~Piped() {
        ::close(to_);
        ::kill(pid_, SIGKILL);
        ::close(from_);
        ::waitpid(pid_, nullptr, 0);
    }
    Piped(const Piped&) = delete;
    Piped& operator=(const Piped&) = delete;

    int pid() const noexcept { return pid_; }
    /// Sends as much of `text` as the pipe accepts; the rest is sent first the next time. True: all of it was sent.
    bool say(const std::string& text) {
        unsent_ += text;
        const ssize_t taken = ::write(to_, unsent_.data(), unsent_.size());
        if (taken > 0) unsent_.erase(0, static_cast<std::size_t>(taken));
        return unsent_.empty();
    }
    /// Waits briefly until the pipe accepts more.
    void wait_for_room() const {
        pollfd waiting{to_, POLLOUT, 0};
        ::poll(&waiting, 1, 20);
    }
    /// The next line; empty: none arrived.
    std::string line() {
        for (;;) {
            if (const auto end = read_.find('\n'); end != std::string::npos) {
                std::string found = read_.substr(0, end);
                read_.erase(0, end + 1);
                return found;
            }
            pollfd waiting{from_, POLLIN, 0};
            char bytes[65536];
            const ssize_t got = ::poll(&waiting, 1, 60'000) > 0 ? ::read(from_, bytes, sizeof bytes) : 0;
            if (got <= 0) return {};
            read_.append(bytes, static_cast<std::size_t>(got));
        }
    }

private:
    int pid_ = -1;
    int to_ = -1;
    int from_ = -1;
    std::string unsent_;
    std::string read_;
};

TEST(StdioClientTest, AClientThatDoesNotReadLosesNotificationsAndIsNotReadItself) {
    const std::string mark = "stdio-client-" + std::to_string(::getpid());
    const TempDir folder;
    std::ofstream(folder.path() + "/gantry.yaml")
        << "demo_tools: true\nservers:\n" + bad_child("loud", "floods-progress", {}, mark);
    Piped gantry({gantry_program(), "stdio", folder.path() + "/gantry.yaml", "--state-dir", folder.path() + "/state"});
    gantry.say(initialize_body("2025-11-25") + "\n");
    ASSERT_THAT(gantry.line(), HasSubstr("protocolVersion"));
    gantry.say(R"({"jsonrpc":"2.0","method":"notifications/initialized"})"
               "\n");
    forget_peak(gantry.pid());
    const std::size_t before = process_memory(gantry.pid(), "VmRSS:");

    // One call produces 11 MB of progress, and these would produce 100 MB of answers.
    gantry.say(legacy("2", "tools/call", R"("name":"loud_t","arguments":{},"_meta":{"progressToken":"t"})") + "\n");
    EXPECT_TRUE(eventually([&] { return written_by(mark) > 4 * kMegabyte; })) << written_by(mark);
    int taken = 0;
    const auto began = Clock::now();
    while (taken < 1000 && Clock::now() - began < std::chrono::seconds(3)) {
        gantry.wait_for_room();
        if (gantry.say(""))
            gantry.say(legacy(std::to_string(3 + taken++), "tools/call", echo_params(std::string(100'000, 'x'))) +
                       "\n");
    }
    EXPECT_LT(taken, 100) << "its input is read although it does not read its output";
    if (!kSanitized) EXPECT_LT(process_memory(gantry.pid(), "VmHWM:"), before + 32 * kMegabyte);

    Child status({.command = {gantry_program(), "status", "--state-dir", folder.path() + "/state"}, .env = {}});
    EXPECT_EQ(status.wait(), 0) << status.err();
    EXPECT_THAT(status.out(), HasSubstr("loud")) << "others who ask it are answered";

    // Once the client reads, it gets every answer, but far from all notifications.
    int progress = 0;
    std::set<std::string> answered;
    while (answered.size() < static_cast<std::size_t>(taken) + 1) {
        gantry.say("");
        const std::string line = gantry.line();
        ASSERT_FALSE(line.empty()) << answered.size() << " of " << taken + 1 << " answers";
        const auto message = Json::parse(line);
        ASSERT_TRUE(message.has_value());
        if (const Json* id = message->find("id")) answered.insert(id->dump());
        progress += line.find("notifications/progress") != std::string::npos;
    }
    EXPECT_LT(progress, 10'000);
}

}  // namespace
}  // namespace gantry::testing
