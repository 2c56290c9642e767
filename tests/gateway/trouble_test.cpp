// Servers that die, hang, are slow or come and go while others work: the permitted effects on the others.
#include <gmock/gmock.h>
#include <signal.h>

#include <atomic>
#include <thread>

#include "gateway/rig.hpp"

namespace gantry::testing {
namespace {

std::string trouble_js() {
    return dual_era_js().empty() ? std::string() : peer_file("trouble_server.mjs");
}
std::string trouble_stdio(const std::string& name, const std::string& more = {}) {
    return "  - name: " + name + "\n    command: " + node() + "\n    args: [" + trouble_js() + ", " + name + "]\n" +
           more;
}

Client connect_to(const Gateway& gateway, Era era = Era::kModern) {
    auto options = options_for(HttpServer{.url = gateway.url()});
    options.era = era;
    auto client = connect(options);
    if (!client) ADD_FAILURE() << client.error().to_string();
    return *std::move(client);
}

std::string say(Client& client, const std::string& tool, JsonObject arguments = {}) {
    auto result = client.call(tool, std::move(arguments));
    return result ? result->text() : "failed: " + result.error().to_string();
}

class TroubleTest : public ::testing::Test {
protected:
    void SetUp() override { SKIP_WITHOUT(trouble_js()); }
};

TEST_F(TroubleTest, AServerThatDiesInACallCostsThatCallAndComesBack) {
    Gateway gateway("servers:\n" + trouble_stdio("weak") + trouble_stdio("firm"));
    Client client = connect_to(gateway);
    ASSERT_THAT(say(client, "weak_who"), ::testing::StartsWith("weak "));
    const auto died = client.call("weak_die", {});
    ASSERT_FALSE(died.has_value() && !died->is_error) << "a call that killed its server was answered";
    EXPECT_THAT(say(client, "firm_who"), ::testing::StartsWith("firm "));
    EXPECT_TRUE(eventually([&] { return say(client, "weak_who").starts_with("weak "); }));
}

TEST_F(TroubleTest, AKilledServerIsStartedAgainAndNothingOfItIsLeft) {
    Gateway gateway("servers:\n" + trouble_stdio("victim-of-kill"));
    Client client = connect_to(gateway);
    const std::string first = say(client, "victim-of-kill_who");
    const auto before = processes_with("trouble_server.mjs victim-of-kill");
    ASSERT_FALSE(before.empty());
    for (const int pid : before) ::kill(pid, SIGKILL);
    std::string second;
    EXPECT_TRUE(eventually([&] {
        second = say(client, "victim-of-kill_who");
        return second.starts_with("victim-of-kill ") && second != first;
    })) << second;
    for (const int pid : processes_with("trouble_server.mjs victim-of-kill"))
        EXPECT_THAT(before, ::testing::Not(::testing::Contains(pid)));
}

TEST_F(TroubleTest, EachLocalServerIsAProcessOfItsOwnThatMayDieAlone) {
    Gateway gateway("servers:\n" + trouble_stdio("process-one") + trouble_stdio("process-two"));
    Client client = connect_to(gateway);
    const auto process_of = [](const std::string& name) {
        const auto found = processes_with("trouble_server.mjs " + name);
        EXPECT_EQ(found.size(), 1u) << name;
        return found.empty() ? 0 : found.front();
    };
    const int one = process_of("process-one");
    const int two = process_of("process-two");
    EXPECT_NE(one, two);
    EXPECT_NE(one, gateway.child().pid());
    EXPECT_NE(two, gateway.child().pid());

    // "process-two PID COUNT": the same process for both calls, whatever happens to the other.
    const std::string before = say(client, "process-two_who");
    ASSERT_THAT(before, ::testing::EndsWith(" 1"));
    ::kill(one, SIGKILL);
    EXPECT_TRUE(eventually([&] { return say(client, "process-one_who").starts_with("process-one "); }));
    EXPECT_NE(process_of("process-one"), one);
    EXPECT_EQ(process_of("process-two"), two);
    EXPECT_EQ(say(client, "process-two_who"), before.substr(0, before.size() - 1) + "2");
}

TEST_F(TroubleTest, AHungServerTimesOutAloneWhileOthersAnswer) {
    Gateway gateway("servers:\n" + trouble_stdio("stuck", "    timeout: 2s\n") + trouble_stdio("firm"));
    Client client = connect_to(gateway);
    std::atomic<bool> hung = true;
    std::string fate;
    std::thread waiting([&] {
        Client other = connect_to(gateway);
        fate = say(other, "stuck_hang");
        hung = false;
    });
    int answered = 0;
    while (hung) {
        ASSERT_THAT(say(client, "firm_who"), ::testing::StartsWith("firm "));
        ++answered;
    }
    waiting.join();
    EXPECT_THAT(fate, ::testing::HasSubstr("failed"));
    EXPECT_GT(answered, 0);
    EXPECT_THAT(say(client, "stuck_who"), ::testing::StartsWith("stuck ")) << "the server is still there";
}

TEST_F(TroubleTest, AServerThatCannotStartCostsItsOwnToolsOnly) {
    Gateway gateway("servers:\n  - name: absent\n    command: /nonexistent/program\n" + trouble_stdio("firm"));
    Client client = connect_to(gateway);
    auto tools = client.list_tools();
    ASSERT_TRUE(tools.has_value());
    EXPECT_TRUE(has_tool(*tools, "firm_who"));
    EXPECT_THAT(say(client, "firm_who"), ::testing::StartsWith("firm "));
    EXPECT_THAT(gateway.child().out(), ::testing::HasSubstr("absent is down"));
}

TEST_F(TroubleTest, EveryCallIsAnsweredOnceWithItsOwnAnswerWhileAServerFlaps) {
    Gateway gateway("servers:\n" + trouble_stdio("flaps", "    breaker: off\n") + trouble_stdio("firm"));
    std::atomic<bool> stop = false;
    std::thread killer([&] {
        Client client = connect_to(gateway);
        for (int i = 0; i < 5; ++i) {
            auto died = client.call("flaps_die", {});
            static_cast<void>(died);
            eventually([&] { return say(client, "flaps_who").starts_with("flaps "); }, std::chrono::seconds(30));
        }
        stop = true;
    });
    std::vector<std::thread> callers;
    std::atomic<int> wrong = 0;
    std::atomic<int> right = 0;
    for (int c = 0; c < 4; ++c) {
        callers.emplace_back([&, c] {
            Client client = connect_to(gateway, c % 2 == 0 ? Era::kModern : Era::kLegacy);
            for (int i = 0; !stop; ++i) {
                const std::string value = std::to_string(c) + "-" + std::to_string(i);
                const std::string firm = say(client, "firm_echo", {{"value", value}});
                (firm == value ? right : wrong)++;
                const std::string flapping = say(client, "flaps_echo", {{"value", value}});
                if (flapping != value && !flapping.starts_with("failed")) ++wrong;
            }
        });
    }
    killer.join();
    for (auto& caller : callers) caller.join();
    EXPECT_EQ(wrong, 0);
    EXPECT_GT(right, 0);
}

TEST_F(TroubleTest, NoProcessOutlivesTheGateway) {
    const std::string marker = "trouble_server.mjs last-of-its-kind";
    {
        Gateway gateway("servers:\n" + trouble_stdio("last-of-its-kind"));
        Client client = connect_to(gateway);
        ASSERT_THAT(say(client, "last-of-its-kind_who"), ::testing::StartsWith("last-of-its-kind "));
        ASSERT_FALSE(processes_with(marker).empty());
        ::kill(gateway.child().pid(), SIGTERM);
        const auto code = gateway.child().wait();
        ASSERT_TRUE(code.has_value());
        EXPECT_EQ(*code, 0) << gateway.child().err();
    }
    EXPECT_TRUE(eventually([&] { return processes_with(marker).empty(); }));
}

TEST_F(TroubleTest, LargeResultsPassAndTooLargeOnesAreRefusedWithoutHarm) {
    Gateway gateway("servers:\n" + trouble_stdio("wide", "    max_result_bytes: 8MB\n"));
    Client client = connect_to(gateway);
    EXPECT_EQ(say(client, "wide_big", {{"bytes", 3'000'000}}).size(), 3'000'000u);
    EXPECT_THAT(say(client, "wide_big", {{"bytes", 20'000'000}}), ::testing::HasSubstr("failed"));
    EXPECT_TRUE(eventually([&] { return say(client, "wide_who").starts_with("wide "); }));
}

}  // namespace
}  // namespace gantry::testing
