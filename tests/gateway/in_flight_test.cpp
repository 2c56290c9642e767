// Calls in flight: cancellation, progress and log messages. Every combination of eras.
#include "gateway/watched.hpp"

namespace gantry::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// A gateway in front of one watched server, and clients of both eras over every transport.
struct Scene {
    explicit Scene(Reached how) : server("w", how), gateway("servers:\n" + server.entry()) {}

    /// Each with a name for messages.
    std::vector<std::pair<std::string, ConnectOptions>> callers() const {
        return {{"legacy over HTTP", over_http(gateway, Era::kLegacy)},
                {"modern over HTTP", over_http(gateway, Era::kModern)},
                {"legacy over HTTP+SSE", over_sse(gateway)}};
    }

    Watched server;
    Gateway gateway;
};

class InFlightTest : public ::testing::TestWithParam<Reached> {
protected:
    void SetUp() override { SKIP_WITHOUT(watched_js()); }
};

/// The caller gives up, and the tool notices.
void expect_cancelled(Ear& caller, Ear& witness, const std::string& value) {
    {
        auto call = caller.client().call_async("w_work", {{"value", value}, {"ms", 600'000}});
        EXPECT_TRUE(eventually([&] { return witness.say("w_running").contains(value); })) << value;
    }
    EXPECT_TRUE(eventually([&] { return witness.say("w_cancelled").contains(value); })) << value;
    EXPECT_THAT(witness.say("w_running"), Not(HasSubstr(value)));
    EXPECT_EQ(caller.say("w_echo", {{"value", "still here"}}), "still here");
}

TEST_P(InFlightTest, ACancelledCallIsCancelledAtTheServer) {
    const Scene scene(GetParam());
    Ear witness(over_http(scene.gateway, Era::kModern));
    for (const auto& [name, options] : scene.callers()) {
        Ear caller(options);
        expect_cancelled(caller, witness, name);
    }
}

TEST_P(InFlightTest, ProgressReachesItsOwnCallerThoughTokensCollide) {
    const Scene scene(GetParam());
    std::vector<std::unique_ptr<Ear>> ears;
    // Clients number their requests: two of one kind use the same tokens.
    for (int twice = 0; twice < 2; ++twice) {
        for (const auto& [name, options] : scene.callers()) ears.push_back(std::make_unique<Ear>(options));
    }
    std::vector<std::vector<std::pair<double, double>>> seen(ears.size());
    std::vector<Pending<mcp::CallToolResult>> calls;
    for (std::size_t i = 0; i < ears.size(); ++i) {
        CallOptions call;
        call.on_progress = [&mine = seen[i]](const mcp::Progress& progress) {
            mine.emplace_back(progress.progress, progress.total.value_or(0));
        };
        calls.push_back(ears[i]->client().call_async("w_steps", {{"to", 20 + static_cast<int>(i)}}, std::move(call)));
    }
    for (std::size_t i = 0; i < ears.size(); ++i) {
        const auto result = calls[i].get();
        ASSERT_TRUE(result) << result.error().to_string();
        const std::size_t steps = 20 + i;
        EXPECT_EQ(result->text(), "took " + std::to_string(steps) + " steps");
        ASSERT_EQ(seen[i].size(), steps);
        for (std::size_t step = 0; step < steps; ++step) {
            EXPECT_EQ(seen[i][step], std::pair(static_cast<double>(step + 1), static_cast<double>(steps)));
        }
    }
}

TEST_P(InFlightTest, LogsReachEachClientAtTheLevelItAskedFor) {
    const Scene scene(GetParam());
    for (auto& [name, options] : scene.callers()) {
        options.log_level = mcp::LogLevel::kDebug;
        Ear all(options);
        options.log_level = mcp::LogLevel::kError;
        Ear errors(options);
        options.log_level.reset();
        Ear nothing(options);
        const auto logs = [](Ear& ear) {
            const std::scoped_lock lock(ear.heard().mutex);
            return ear.heard().logs;
        };
        for (Ear* ear : {&all, &errors, &nothing}) EXPECT_EQ(ear->say("w_chat", {{"value", name}}), name);
        EXPECT_THAT(logs(all), ::testing::ElementsAre("\"whispers " + name + "\"", "\"shouts " + name + "\"")) << name;
        EXPECT_THAT(logs(errors), ::testing::ElementsAre("\"shouts " + name + "\"")) << name;
        // A legacy client that set no level takes what a legacy server sends by itself, but not the details that
        // another client asked for.
        const bool legacy_server = GetParam() != Reached::kStdioModern && GetParam() != Reached::kHttpModern;
        if (legacy_server && name.starts_with("legacy")) {
            EXPECT_THAT(logs(nothing), ::testing::ElementsAre("\"shouts " + name + "\"")) << name;
        } else {
            EXPECT_THAT(logs(nothing), ::testing::IsEmpty()) << name;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(EveryServer, InFlightTest, ::testing::ValuesIn(kAllReached),
                         [](const auto& info) { return to_string(info.param); });

TEST(InFlightOverStdioTest, CancellingProgressAndLogsWorkForEitherEra) {
    SKIP_WITHOUT(watched_js());
    for (const Reached how : {Reached::kStdioLegacy, Reached::kStdioModern}) {
        for (const Era era : {Era::kLegacy, Era::kModern}) {
            const TempDir folder;
            auto options = over_stdio(folder, "servers:\n" + Watched("w", how).entry(), era);
            options.log_level = mcp::LogLevel::kError;
            Ear ear(options);
            expect_cancelled(ear, ear, "over a pipe");
            std::vector<double> seen;
            CallOptions call;
            call.on_progress = [&seen](const mcp::Progress& progress) { seen.push_back(progress.progress); };
            EXPECT_EQ(ear.say("w_steps", {{"to", 3}}, std::move(call)), "took 3 steps");
            EXPECT_THAT(seen, ::testing::ElementsAre(1, 2, 3));
            EXPECT_EQ(ear.say("w_chat", {{"value", "hi"}}), "hi");
            const std::scoped_lock lock(ear.heard().mutex);
            EXPECT_THAT(ear.heard().logs, ::testing::ElementsAre("\"shouts hi\""));
        }
    }
}

}  // namespace
}  // namespace gantry::testing
