#include "mcp/transport/child_server.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sched.h>
#include <sys/stat.h>

#include <filesystem>

#include "base/try.hpp"
#include "io/process/confinement.hpp"
#include "mcp/transport/testing.hpp"
#include "support/paths.hpp"

namespace gantry::mcp {
namespace {

using namespace testing;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using Started = Result<std::shared_ptr<ChildServer>>;

/// Of the server that takes its port from PORT; see port_server.cpp.
ChildServerConfig doing(std::vector<std::string> steps) {
    return {.command = gantry::test_support::built_path("tests/gantry_port_server"), .args = std::move(steps)};
}

std::uint16_t port_in(const process::Command& command) {
    for (const auto& [name, value] : command.env)
        if (name == "PORT") return static_cast<std::uint16_t>(std::stoi(value));
    return 0;
}

/// A pipe by which the test lets the server continue.
class Signal {
public:
    Signal() {
        char name[] = "/tmp/gantry-signal-XXXXXX";
        folder_ = mkdtemp(name);
        mkfifo(path().c_str(), 0600);
    }
    ~Signal() { std::filesystem::remove_all(folder_); }
    Signal(const Signal&) = delete;
    Signal& operator=(const Signal&) = delete;
    std::string path() const { return folder_ + "/go"; }
    /// Blocks the thread until the server waits.
    void give() const { ::close(::open(path().c_str(), O_WRONLY | O_CLOEXEC)); }

private:
    std::string folder_;
};

Task<Result<std::string>> get(ChildServer& server) {
    GANTRY_CO_TRY(auto response,
                  co_await server.http().send(watchdog(), {.url = server.url(), .headers = {}, .body = {}}));
    co_return co_await response.read_all(watchdog(), 1000);
}

std::string text_of(const Result<std::string>& body) {
    return body ? *body : body.error().to_string();
}

Task<Started> start(ChildServerConfig config, Duration limit = seconds(60)) {
    co_return co_await ChildServer::start(Context::background().within(limit), std::move(config));
}

/// Starts a server, lets `body` use it, and stops it.
Task<void> use(ChildServerConfig config, Task<void> (*body)(ChildServer& server)) {
    auto server = co_await start(std::move(config));
    if (!server) {
        ADD_FAILURE() << server.error().to_string();
        co_return;
    }
    co_await body(**server);
    co_await (*server)->stop();
}
void run(ChildServerConfig config, Task<void> (*body)(ChildServer& server)) {
    Loop().run_until_done(use(std::move(config), body));
}
Started start_now(Loop& loop, ChildServerConfig config, Duration limit = seconds(60)) {
    return loop.run_until_done(start(std::move(config), limit));
}
Task<void> stop(std::shared_ptr<ChildServer> server) {
    co_await server->stop();
}

Task<void> says_hello(ChildServer& server) {
    EXPECT_EQ(text_of(co_await get(server)), "hello");
}

TEST(ChildServer, IsReachedOnThePortItWasGivenOnEveryLoopbackAddress) {
    for (const char* listen : {"listen", "listen:any", "listen:v6"}) run(doing({listen, "serve"}), &says_hello);
}

TEST(ChildServer, ThatListensOnEveryInterfaceIsPointedOut) {
    Loop loop;
    std::vector<std::string> warnings;
    for (const char* listen : {"listen", "listen:v6", "listen:any"}) {
        EXPECT_THAT(warnings, IsEmpty());
        ChildServerConfig config = doing({listen, "serve"});
        config.on_warning = [&warnings](const std::string& what) { warnings.push_back(what); };
        auto server = start_now(loop, std::move(config));
        ASSERT_TRUE(server) << server.error().to_string();
        loop.run_until_done(stop(*server));
    }
    EXPECT_THAT(warnings, ElementsAre(HasSubstr("it accepts connections from other machines on port ")));
}

TEST(ChildServer, IsReachedWhenADescendantInAnotherSessionListens) {
    run(doing({"fork", "listen", "serve"}), &says_hello);
}

TEST(ChildServer, MayTryThePortOutBeforeItListens) {
    run(doing({"listen", "close", "listen", "serve"}), &says_hello);
}

TEST(ChildServer, GetsThePortAlsoInArgumentsAndVariables) {
    std::vector<std::string> lines;
    ChildServerConfig config{.command = "sh",
                             .args = {"-c", "echo $0 $PORT $MINE $1; exit 1", "at={port}", "{port}{port}"}};
    config.env = {{"MINE", "<{port}>"}};
    config.on_output = [&lines](std::string_view line) { lines.emplace_back(line); };
    std::string port;
    config.prepare = [&port](process::Command& command) {
        port = std::to_string(port_in(command));
        return Result<void>();
    };
    Loop loop;
    EXPECT_FALSE(start_now(loop, std::move(config)));
    EXPECT_THAT(lines, ElementsAre("at=" + port + " " + port + " <" + port + "> " + port + port));
}

TEST(ChildServer, SettingPortItselfIsUpToTheConfiguration) {
    std::string port;
    ChildServerConfig config = doing({"exit:1"});
    config.env = {{"PORT", "http-{port}"}};
    config.prepare = [&port](process::Command& command) {
        for (const auto& [name, value] : command.env)
            if (name == "PORT") port = value;
        return Result<void>();
    };
    Loop loop;
    EXPECT_FALSE(start_now(loop, std::move(config)));
    EXPECT_TRUE(port.starts_with("http-") && port.size() > 5) << port;
}

TEST(ChildServer, OutputOfBothStreamsGoesToOnePlace) {
    std::vector<std::string> lines;
    ChildServerConfig config = doing({"say:one", "complain:two", "exit:0"});
    config.on_output = [&lines](std::string_view line) { lines.emplace_back(line); };
    Loop loop;
    EXPECT_FALSE(start_now(loop, std::move(config)));
    EXPECT_THAT(lines, ::testing::UnorderedElementsAre("one", "two"));
}

TEST(ChildServer, ThatEndsEarlyIsReportedWithItsStatusAndLastWords) {
    Loop loop;
    const auto server = start_now(loop, doing({"complain:no such model", "exit:3"}));
    ASSERT_FALSE(server);
    EXPECT_EQ(server.error().code(), ErrorCode::kConnection);
    EXPECT_THAT(server.error().message(), HasSubstr("the server ended (exit code 3) before it was ready on port "));
    EXPECT_THAT(server.error().message(), EndsWith("; output: no such model"));
    EXPECT_EQ(start_now(loop, {.command = "/no/such/program"}).error().code(), ErrorCode::kNotFound);
}

/// The error of a server that is never ready, once it has come as far as to say `word`. How long that takes depends on
/// the machine, so the time it gets grows.
Error never_ready(ChildServerConfig config, std::string_view word) {
    Loop loop;
    for (Duration limit = milliseconds(100);; limit *= 2) {
        const auto server = start_now(loop, config, limit);
        if (server) return {ErrorCode::kProtocol, "it was ready"};
        if (server.error().message().contains(word) || limit > seconds(30)) return server.error();
    }
}

TEST(ChildServer, ThatListensNowhereOrElsewhereIsReportedWhenTheTimeIsUp) {
    const Error mute = never_ready(doing({"say:loading"}), "loading");
    EXPECT_EQ(mute.code(), ErrorCode::kTimeout);
    EXPECT_THAT(mute.message(), HasSubstr("did not listen on port "));
    EXPECT_THAT(mute.message(), HasSubstr("from PORT, or from {port} in args or env; output: loading"));
    const Error elsewhere = never_ready(doing({"listen:elsewhere", "say:listening"}), "listening");
    EXPECT_EQ(elsewhere.code(), ErrorCode::kTimeout);
    EXPECT_THAT(elsewhere.message(), HasSubstr("(it listens on 127.0.0.1:"));
}

Task<void> ready_after_words(const Signal& loaded, std::uint16_t& port) {
    ChildServerConfig config =
        doing({"listen", "say:loading", "wait:" + loaded.path(), "complain:Model is READY now", "serve"});
    config.says_ready = [](std::string_view line) { return line.contains("READY"); };
    Event loading;
    config.on_output = [&loading](std::string_view) { loading.set(); };
    config.prepare = [&port](process::Command& command) {
        port = port_in(command);
        return Result<void>();
    };
    std::shared_ptr<ChildServer> server;
    Scope scope(Context::background());
    const auto starting = [](ChildServerConfig what, std::shared_ptr<ChildServer>& into) -> Task<void> {
        auto made = co_await start(std::move(what));
        EXPECT_TRUE(made) << (made ? "" : made.error().to_string());
        if (made) into = *made;
    };
    scope.spawn(starting(std::move(config), server));
    CO_ASSERT(co_await loading.wait(watchdog()));
    // It listens by now, which is not enough.
    auto early = co_await net::connect(watchdog(), {.address = "127.0.0.1", .port = port});
    EXPECT_TRUE(early) << (early ? "" : early.error().to_string());
    EXPECT_FALSE(server);
    early = fail(ErrorCode::kCancelled, "closed");
    loaded.give();
    co_await scope.join();
    CO_ASSERT(server);
    EXPECT_EQ(text_of(co_await get(*server)), "hello");
    co_await server->stop();
}
TEST(ChildServer, IsReadyWhenItSaysSoAndListens) {
    const Signal loaded;
    std::uint16_t port = 0;
    Loop().run_until_done(ready_after_words(loaded, port));
}

TEST(ChildServer, ThatNeverSaysItIsReadyIsReportedAsSuch) {
    ChildServerConfig config = doing({"listen", "say:almost", "serve"});
    config.says_ready = [](std::string_view line) { return line == "ready"; };
    const Error error = never_ready(std::move(config), "almost");
    EXPECT_EQ(error.code(), ErrorCode::kTimeout);
    EXPECT_THAT(error.message(), HasSubstr("printed no line that matches ready_when"));
    EXPECT_THAT(error.message(), EndsWith("; output: almost"));
}

/// Takes the port of the next `times` starts before the server can.
struct Thief {
    Loop& loop;
    int times;
    std::vector<std::unique_ptr<net::TcpListener>> taken = {};
    int starts = 0;

    Result<void> operator()(process::Command& command) {
        ++starts;
        if (starts > times) return {};
        auto listener = net::TcpListener::listen(loop, {.port = port_in(command)});
        EXPECT_TRUE(listener);
        if (listener) taken.push_back(*std::move(listener));
        return {};
    }
};

TEST(ChildServer, GetsAnotherPortWhenAnotherProgramHasTakenIt) {
    // One ends because it cannot listen, the other would do without.
    for (const std::vector<std::string>& unlucky : {std::vector<std::string>{"listen"}, {"say:no port needed"}}) {
        Loop loop;
        Thief thief{.loop = loop, .times = 2};
        ChildServerConfig config = doing(unlucky);
        config.prepare = [&thief](process::Command& command) {
            auto done = thief(command);
            if (thief.starts == 3) command.args = {"listen", "serve"};
            return done;
        };
        auto server = start_now(loop, std::move(config));
        ASSERT_TRUE(server) << server.error().to_string();
        EXPECT_EQ(thief.starts, 3);
        EXPECT_EQ(text_of(loop.run_until_done(get(**server))), "hello");
        loop.run_until_done(stop(*server));
    }
}

TEST(ChildServer, IsNotStartedForeverWhenEveryPortIsTaken) {
    Loop loop;
    Thief thief{.loop = loop, .times = 100};
    ChildServerConfig config = doing({"say:never listens"});
    config.prepare = [&thief](process::Command& command) { return thief(command); };
    const auto server = start_now(loop, std::move(config));
    ASSERT_FALSE(server);
    EXPECT_EQ(thief.starts, 3);
    EXPECT_THAT(server.error().message(), HasSubstr("another program listens on port "));
}

Task<void> loses_its_port(Loop& loop, const Signal& leave) {
    std::uint16_t port = 0;
    ChildServerConfig config = doing({"listen", "wait:" + leave.path(), "close", "say:closed"});
    Event closed;
    config.on_output = [&closed](std::string_view) { closed.set(); };
    config.prepare = [&port](process::Command& command) {
        port = port_in(command);
        return Result<void>();
    };
    auto server = co_await start(std::move(config));
    CO_ASSERT(server);
    leave.give();
    CO_ASSERT(co_await closed.wait(watchdog()));
    EXPECT_THAT(text_of(co_await get(**server)), HasSubstr("no longer listens on port "));
    auto stranger = net::TcpListener::listen(loop, {.port = port});
    CO_ASSERT(stranger);
    EXPECT_THAT(text_of(co_await get(**server)), HasSubstr("another program listens on port "));
    // The first connection the stranger gets is this test's.
    auto ours = co_await net::connect(watchdog(), {.address = "127.0.0.1", .port = port});
    CO_ASSERT(ours && co_await (*ours)->write(watchdog(), "test"));
    auto first = co_await (*stranger)->accept(watchdog());
    CO_ASSERT(first);
    char buffer[16];
    const auto size = co_await (*first)->read_some(watchdog(), buffer);
    EXPECT_EQ(size ? std::string_view(buffer, *size) : "", "test");
    co_await (*server)->stop();
}
TEST(ChildServer, NeverTalksToAProgramThatTookOverItsPort) {
    Loop loop;
    const Signal leave;
    loop.run_until_done(loses_its_port(loop, leave));
}

Task<void> of_an_engine(Loop& loop) {
    std::unique_ptr<net::TcpListener> engine;
    ChildServerConfig config = doing({});
    config.own_socket = false;
    config.prepare = [&](process::Command& command) {
        engine = net::TcpListener::listen(loop, {.port = port_in(command)}).value();
        return Result<void>();
    };
    auto server = co_await start(std::move(config));
    EXPECT_TRUE(server) << "the engine listens for its containers";
    if (server) co_await (*server)->stop();
}
TEST(ChildServer, OfAContainerEngineIsReachedWhereTheEngineListens) {
    Loop loop;
    loop.run_until_done(of_an_engine(loop));
}

class OwnNetwork : public ::testing::Test {
protected:
    void SetUp() override {
        auto made = std::make_shared<process::Confinement>();
        made->namespaces = CLONE_NEWPID | CLONE_NEWNET;
        made->loopback();
        confinement = made;
        if (auto possible = process::rehearse(*made); !possible) GTEST_SKIP() << possible.error().to_string();
    }
    ChildServerConfig config_of(std::vector<std::string> steps) {
        ChildServerConfig config = doing(std::move(steps));
        config.prepare = [confinement = confinement](process::Command& command) {
            command.confinement = confinement;
            return Result<void>();
        };
        return config;
    }
    std::shared_ptr<const process::Confinement> confinement;
};

TEST_F(OwnNetwork, IsReachedFromOutside) {
    for (const char* listen : {"listen", "listen:any", "listen:v6"}) run(config_of({listen, "serve"}), &says_hello);
    run(config_of({"fork", "listen", "serve"}), &says_hello);
}

TEST_F(OwnNetwork, IsNotDisturbedByAProgramOutsideOnTheSamePort) {
    Loop loop;
    Thief thief{.loop = loop, .times = 1};
    ChildServerConfig config = config_of({"listen", "serve"});
    config.prepare = [&thief, confine = config.prepare](process::Command& command) {
        (void)thief(command);
        return confine(command);
    };
    auto server = start_now(loop, std::move(config));
    ASSERT_TRUE(server) << server.error().to_string();
    EXPECT_EQ(thief.starts, 1);
    EXPECT_EQ(text_of(loop.run_until_done(get(**server))), "hello");
    loop.run_until_done(stop(*server));
}

TEST_F(OwnNetwork, SaysWhereTheServerListensInstead) {
    const Error error = never_ready(config_of({"listen:elsewhere", "say:listening"}), "listening");
    EXPECT_THAT(error.message(), HasSubstr("(it listens on 127.0.0.1:"));
}

}  // namespace
}  // namespace gantry::mcp
