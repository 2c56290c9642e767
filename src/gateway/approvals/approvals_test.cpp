#include "gateway/approvals/approvals.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "gateway/pipeline/pipeline_rig.hpp"
#include "io/loop.hpp"
#include "io/scope.hpp"

namespace gantry::gateway {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kBuy = R"({"name":"buy","inputSchema":{"type":"object"}})";
const std::string kOne = R"({"params":{"name":"buy","arguments":{"count":1}}})";
const std::string kOneSpeltDifferently = R"({"params":{"arguments": { "count" : 1 },"name":"buy"}})";
const std::string kTwo = R"({"params":{"name":"buy","arguments":{"count":2}}})";

class MemoryStore final : public ApprovalStore {
public:
    Result<KeptApprovals> open() override { return KeptApprovals{.all = kept}; }
    Task<Result<KeptApprovals>> read(const Context&) override { co_return KeptApprovals{.all = kept}; }
    Task<Result<void>> add(const Context&, PendingApproval question) override {
        if (broken) co_return fail(ErrorCode::kInternal, "the disk is full");
        kept.push_back({.approval = std::move(question)});
        co_return Result<void>();
    }
    Task<Result<StoredApproval>> answer(const Context&, std::string id, StoredAnswer answer) override {
        if (broken) co_return fail(ErrorCode::kInternal, "the disk is full");
        const auto found = find(id);
        if (found == kept.end() || found->state != ApprovalState::kPending)
            co_return fail(ErrorCode::kNotFound, "no approval '" + id + "' is waiting");
        found->state = answer.approved ? ApprovalState::kApproved : ApprovalState::kRejected;
        found->reason = answer.reason;
        found->approval.expires_ms = answer.expires_ms;
        co_return *found;
    }
    Task<Result<bool>> use(const Context&, std::string id) override {
        if (broken) co_return fail(ErrorCode::kInternal, "the disk is full");
        const auto found = find(id);
        if (found == kept.end() || found->state != ApprovalState::kApproved) co_return false;
        kept.erase(found);
        co_return true;
    }
    Task<Result<std::optional<StoredApproval>>> expire(const Context&, std::string id, std::int64_t at_ms) override {
        const auto found = find(id);
        if (found == kept.end() || found->approval.expires_ms > at_ms) co_return std::optional<StoredApproval>();
        std::optional<StoredApproval> gone(*found);
        kept.erase(found);
        co_return gone;
    }
    Task<Result<void>> changed(const Context& ctx) override { return never.wait(ctx); }

    std::vector<StoredApproval>::iterator find(const std::string& id) {
        return std::ranges::find(kept, id, [](const StoredApproval& stored) { return stored.approval.id; });
    }
    std::vector<StoredApproval> kept;
    bool broken = false;
    Event never;
};

class Heard final : public Observer {
public:
    void approval_requested(const ApprovalRequested& event) noexcept override {
        const PendingApproval& a = event.approval;
        said.push_back("asked " + a.source + " " + a.tool + " " + a.principal + " " + a.request_id + " " + a.arguments);
    }
    void approval_answered(const ApprovalAnswered& event) noexcept override {
        said.push_back(std::string(event.approved ? "yes" : "no") + " by " + std::string(event.who) + " " +
                       std::string(event.reason));
    }
    std::vector<std::string> said;
};

/// A pipeline in which calls of `buy` need approval.
class World {
public:
    explicit World(ApprovalOptions options = {}, MemoryStore* shared = nullptr)
        : store(shared == nullptr ? own_ : *shared),
          approvals(with_rule(options), {.store = store, .observer = &heard}) {
        rig.settings.approvals = with_rule(options);
        rig.apply();
        EXPECT_TRUE(approvals.open().has_value());
    }
    ~World() {
        loop.run_until_done(answers_.join());
        loop.run_until_done(approvals.stop());
    }

    static ApprovalOptions with_rule(ApprovalOptions options) {
        options.rules.push_back({.tools = {"buy"}});
        return options;
    }
    static Task<void> keep(PipelineRig& rig, std::string message, std::optional<Result<Output>>& output) {
        output = co_await rig.call(message, "buy");
    }
    /// Starts a call, then runs `then`, and returns the call's result.
    Result<Output> call_and(const std::string& message, std::function<void(World&)> then) {
        return loop.run_until_done(
            [](World& world, std::string text, std::function<void(World&)> act) -> Task<Result<Output>> {
                std::optional<Result<Output>> output;
                Scope scope(Context::background());
                scope.spawn(keep(world.rig, std::move(text), output));
                while (world.approvals.list().empty() && !output) co_await one_turn();
                act(world);
                co_await world.answers_.join();
                co_await scope.join();
                co_return *std::move(output);
            }(*this, message, std::move(then)));
    }
    Result<Output> call(const std::string& message) { return loop.run_until_done(rig.call(message, "buy")); }
    /// Answers the only pending question.
    Task<void> give(bool approved, std::string reason) {
        const auto pending = approvals.list();
        EXPECT_EQ(pending.size(), 1u);
        auto given = co_await approvals.answer(pending.at(0).id, {.approved = approved, .reason = std::move(reason)});
        EXPECT_TRUE(given.has_value()) << given.error().to_string();
    }
    void answer(bool approved, std::string reason = {}) { answers_.spawn(give(approved, std::move(reason))); }

    Loop loop;

private:
    MemoryStore own_;
    Scope answers_{Context::background()};

public:
    MemoryStore& store;
    Heard heard;
    Approvals approvals;
    PipelineRig rig{{kBuy, R"({"name":"look","inputSchema":{"type":"object"}})"}, {}, {}, &approvals};
};

std::string reason_of(const Result<Output>& output) {
    if (output || output.error().rpc() == nullptr) return {};
    return std::string(Json::parse(output.error().rpc()->data)->string_at("reason"));
}

TEST(Approvals, ACallRunsOnceSomebodyHasSeenItsExactArgumentsAndAgreed) {
    World world;
    const auto output = world.call_and(kOne, [](World& w) {
        EXPECT_TRUE(w.rig.source->calls.empty()) << "nothing runs before";
        const auto pending = w.approvals.list().at(0);
        EXPECT_EQ(pending.arguments, R"({"count":1})");
        EXPECT_EQ(pending.tool, "buy");
        EXPECT_EQ(w.store.kept.size(), 1u) << "kept before anybody is asked";
        w.answer(true, "fine");
    });
    ASSERT_TRUE(output.has_value()) << output.error().to_string();
    EXPECT_EQ(world.rig.source->calls.size(), 1u);
    EXPECT_THAT(world.heard.said, ElementsAre(R"(asked shop buy local c1 {"count":1})", "yes by operator fine"));
    EXPECT_TRUE(world.approvals.list().empty());
    EXPECT_TRUE(world.store.kept.empty()) << "used up";
    EXPECT_EQ(world.rig.recorder.records.size(), 1u);
}

Task<void> ask_twice(World& world, std::optional<Result<Output>>& first, std::optional<Result<Output>>& second) {
    Scope scope(Context::background());
    scope.spawn(World::keep(world.rig, kOne, first));
    while (world.approvals.list().empty()) co_await one_turn();
    // Another call, so that it is another question.
    second = co_await world.rig.call(R"({"params":{"name":"buy","arguments":{"count":2}}})", "buy");
    EXPECT_EQ(world.approvals.list().size(), 1u);
    co_await world.give(true, {});
    co_await scope.join();
}
TEST(Approvals, ACallerBeyondItsShareOfQuestionsIsRefused) {
    World world({.max_pending = 5, .max_pending_per_principal = 1});
    std::optional<Result<Output>> first, second;
    world.loop.run_until_done(ask_twice(world, first, second));
    EXPECT_TRUE(first->has_value());
    ASSERT_FALSE(second->has_value());
    EXPECT_EQ(second->error().code(), ErrorCode::kLimit) << second->error().to_string();
}

TEST(Approvals, WhoIsNotConcernedIsNotAsked) {
    World world;
    const std::string look = R"({"params":{"name":"look"}})";
    EXPECT_TRUE(world.loop.run_until_done(world.rig.call(look, "look")).has_value());
    EXPECT_TRUE(world.heard.said.empty());
}

TEST(Approvals, ANoEndsTheCallWithItsReasonAndHoldsForAWhile) {
    World world;
    const auto output = world.call_and(kOne, [](World& w) { w.answer(false, "not today"); });
    ASSERT_FALSE(output.has_value());
    EXPECT_EQ(output.error().code(), ErrorCode::kDenied);
    EXPECT_THAT(output.error().message(), HasSubstr("not today"));
    EXPECT_EQ(reason_of(output), "approval_rejected");
    EXPECT_EQ(reason_of(world.call(kOne)), "approval_rejected") << "the same call is not asked about again";
    EXPECT_EQ(world.heard.said.size(), 2u);
    EXPECT_TRUE(world.rig.source->calls.empty());
}

TEST(Approvals, NoAnswerIsANo) {
    World world({.timeout = milliseconds(30)});
    const auto output = world.call(kOne);
    ASSERT_FALSE(output.has_value());
    EXPECT_EQ(reason_of(output), "approval_expired");
    EXPECT_TRUE(world.rig.source->calls.empty());
    EXPECT_EQ(world.heard.said.back(), "no by  not answered in time");
}

TEST(Approvals, AnApprovalIsForThisCallAndForOneTime) {
    World world;
    EXPECT_TRUE(world.call_and(kOne, [](World& w) { w.answer(true); }).has_value());
    const auto second = world.call_and(kOne, [](World& w) { w.answer(false); });
    EXPECT_FALSE(second.has_value()) << "asked again";
    EXPECT_EQ(world.rig.source->calls.size(), 1u);
}

TEST(Approvals, AQuestionAndItsAnswerSurviveARestart) {
    MemoryStore disk;
    {
        World before({}, &disk);
        // The caller disconnects while the question is pending.
        before.loop.run_until_done([](World& w) -> Task<void> {
            const CancelSource gone;
            Scope scope(Context::background());
            auto call = [](World& world, const CancelSource& stop) -> Task<void> {
                const auto view = json::scan_envelope(kOne);
                const auto output =
                    co_await world.rig.pipeline.run(Context::background().stopped_by(stop),
                                                    {.verb = Verb::kCallTool,
                                                     .name = "buy",
                                                     .params = view->params.raw(),
                                                     .view = view->in_params,
                                                     .client = world.rig.traits,
                                                     .snapshot = *world.rig.snapshot},
                                                    std::make_shared<const Principal>(), world.rig.line);
                EXPECT_EQ(output.error().code(), ErrorCode::kCancelled);
            };
            scope.spawn(call(w, gone));
            while (w.approvals.list().empty()) co_await one_turn();
            co_await one_turn();
            gone.cancel();
            co_await scope.join();
        }(before));
        ASSERT_EQ(before.approvals.list().size(), 1u);
    }
    World after({}, &disk);
    ASSERT_EQ(after.approvals.list().size(), 1u) << "still asked";
    after.loop.run_until_done(after.give(true, {}));
    EXPECT_FALSE(after.call_and(kTwo, [](World& w) { w.answer(false); }).has_value()) << "not for other arguments";
    EXPECT_TRUE(after.call(kOneSpeltDifferently).has_value()) << "the same call, however it is spelt";
}

TEST(Approvals, AToolDescribedDifferentlyByNowNeedsANewOne) {
    MemoryStore disk;
    disk.kept.push_back({.approval = {.id = "old",
                                      .source = "shop",
                                      .tool = "buy",
                                      .principal = "local",
                                      .descriptor = "of another description",
                                      .digest = "x",
                                      .expires_ms = 4'000'000'000'000},
                         .state = ApprovalState::kApproved});
    World world({.timeout = milliseconds(20)}, &disk);
    EXPECT_EQ(reason_of(world.call(kOne)), "approval_expired");
}

TEST(Approvals, WhatCannotBeKeptIsNotAsked) {
    World world;
    world.store.broken = true;
    EXPECT_FALSE(world.call(kOne).has_value());
    EXPECT_TRUE(world.heard.said.empty());
    EXPECT_TRUE(world.rig.source->calls.empty());
}

TEST(Approvals, AnAnswerThatCannotBeKeptDoesNotCount) {
    World world;
    const auto output = world.loop.run_until_done([](World& w) -> Task<Result<Output>> {
        std::optional<Result<Output>> result;
        Scope scope(Context::background());
        scope.spawn(World::keep(w.rig, kOne, result));
        while (w.approvals.list().empty()) co_await one_turn();
        w.store.broken = true;
        const std::string id = w.approvals.list().at(0).id;
        const auto refused = co_await w.approvals.answer(id, {.approved = true});
        EXPECT_EQ(refused.error().code(), ErrorCode::kInternal);
        EXPECT_EQ(w.approvals.list().size(), 1u) << "still open";
        EXPECT_EQ(w.heard.said.size(), 1u) << "nothing happened";
        w.store.broken = false;
        co_await w.give(false, "no");
        co_await scope.join();
        co_return *std::move(result);
    }(world));
    EXPECT_EQ(reason_of(output), "approval_rejected");
    EXPECT_TRUE(world.rig.source->calls.empty());
}

TEST(Approvals, WhatCannotBeUsedUpDoesNotRun) {
    World world;
    const auto output = world.loop.run_until_done([](World& w) -> Task<Result<Output>> {
        std::optional<Result<Output>> result;
        Scope scope(Context::background());
        scope.spawn(World::keep(w.rig, kOne, result));
        while (w.approvals.list().empty()) co_await one_turn();
        co_await w.give(true, {});
        w.store.broken = true;  // before the waiting call resumes
        co_await scope.join();
        co_return *std::move(result);
    }(world));
    ASSERT_FALSE(output.has_value());
    EXPECT_THAT(output.error().message(), HasSubstr("the disk is full"));
    EXPECT_TRUE(world.rig.source->calls.empty());
}

TEST(Approvals, ALongReasonIsCutBetweenTwoCharacters) {
    World world;
    std::string reason = "x";
    while (reason.size() < 5000) reason += "\u00fc";
    const auto output = world.call_and(kOne, [&](World& w) { w.answer(false, reason); });
    ASSERT_FALSE(output.has_value());
    EXPECT_LT(output.error().message().size(), 1200u);
    EXPECT_TRUE(output.error().message().contains("\u00fc (approval ")) << "the id follows the whole reason";
}

TEST(Approvals, WaitingForAPersonDoesNotCountAgainstTheCallsDeadline) {
    World world;
    const auto output = world.loop.run_until_done([](World& w) -> Task<Result<Output>> {
        std::optional<Result<Output>> result;
        Scope scope(Context::background());
        auto call = [](World& world, std::optional<Result<Output>>& into) -> Task<void> {
            const auto view = json::scan_envelope(kOne);
            into = co_await world.rig.pipeline.run(Context::background().within(milliseconds(40)),
                                                   {.verb = Verb::kCallTool,
                                                    .name = "buy",
                                                    .params = view->params.raw(),
                                                    .view = view->in_params,
                                                    .client = world.rig.traits,
                                                    .snapshot = *world.rig.snapshot},
                                                   std::make_shared<const Principal>(), world.rig.line);
        };
        scope.spawn(call(w, result));
        auto slept = co_await sleep_for(Context::background(), milliseconds(120));
        static_cast<void>(slept);
        co_await w.give(true, {});
        co_await scope.join();
        co_return *std::move(result);
    }(world));
    EXPECT_TRUE(output.has_value()) << output.error().to_string();
}

TEST(Approvals, ACallerThatWaitsHearsThatItWaits) {
    World world;
    world.rig.line.progress_wanted = true;
    EXPECT_TRUE(world.call_and(kOne, [](World& w) { w.answer(true); }).has_value());
    EXPECT_THAT(world.rig.line.progresses.at(0), HasSubstr("waiting for approval "));
}

TEST(Approvals, TasksAndStreamsAreAskedAboutLikeAnythingElse) {
    World world;
    world.rig.source->on_call = [](const AdmittedCall&) {
        Output task = make_output(R"({"taskId":"t-1"})", mcp::kLatestRevision);
        task.kind = Output::Kind::kTask;
        task.state = "t-1";
        return Result<Output>(std::move(task));
    };
    const auto output = world.call_and(kOne, [](World& w) { w.answer(true); });
    ASSERT_TRUE(output.has_value());
    EXPECT_EQ(output->kind, Output::Kind::kTask);
    EXPECT_NE(*output->state, "t-1") << "sealed";
}

TEST(Approvals, TheCallerCannotAgreeToItsOwnCall) {
    World world({.timeout = milliseconds(20)});
    world.rig.traits.capabilities.elicitation.emplace();
    world.rig.line.askable = true;
    world.rig.line.answers["elicitation/create"] = R"({"action":"accept"})";
    EXPECT_EQ(reason_of(world.call(kOne)), "approval_expired");
    EXPECT_TRUE(world.rig.line.asked.empty());
    const auto unknown = world.loop.run_until_done(world.approvals.answer("x", {.channel = AnswerChannel::kCaller}));
    EXPECT_EQ(unknown.error().code(), ErrorCode::kNotFound);
}

class CallersOwnWord : public testing::Test {
protected:
    CallersOwnWord() { world.rig.traits.capabilities.elicitation.emplace(); }
    World world{{.timeout = milliseconds(500), .caller_may_approve = true}};
};

TEST_F(CallersOwnWord, CountsByElicitationWhereARuleAllowsItForTheLocalUser) {
    world.rig.line.askable = true;
    world.rig.line.answers["elicitation/create"] = R"({"action":"accept"})";
    EXPECT_TRUE(world.call(kOne).has_value());
    ASSERT_EQ(world.rig.line.asked.size(), 1u);
    EXPECT_THAT(world.rig.line.asked[0].second, HasSubstr(R"(\"count\":1)")) << "shows the arguments";
    world.rig.line.answers["elicitation/create"] = R"({"action":"decline"})";
    EXPECT_EQ(reason_of(world.call(kTwo)), "approval_rejected");
    EXPECT_EQ(world.rig.source->calls.size(), 1u);
}

TEST_F(CallersOwnWord, CountsInARoundOfInputAndTheServerNeverSeesIt) {
    const auto asked = world.call(kOne);
    ASSERT_TRUE(asked.has_value()) << asked.error().to_string();
    ASSERT_EQ(asked->kind, Output::Kind::kInputRequired);
    EXPECT_THAT(asked->questions, HasSubstr("elicitation/create"));
    const auto again = [&](const char* action) {
        return R"({"params":{"name":"buy","arguments":{"count":1},"requestState":)" + Json(*asked->state).dump() +
               R"(,"inputResponses":{"approval":{"action":")" + action + R"("}}}})";
    };
    const auto done = world.call(again("accept"));
    ASSERT_TRUE(done.has_value()) << done.error().to_string();
    ASSERT_EQ(world.rig.source->calls.size(), 1u);
    EXPECT_EQ(world.rig.source->calls[0].params, R"({"name":"buy","arguments":{"count":1}})");
    EXPECT_FALSE(world.rig.source->calls[0].resume.has_value());
    const auto replayed = world.call(again("accept"));
    ASSERT_TRUE(replayed.has_value());
    EXPECT_EQ(replayed->kind, Output::Kind::kInputRequired) << "an answer counts once";
    EXPECT_EQ(world.rig.source->calls.size(), 1u);
}

TEST_F(CallersOwnWord, DoesNotCountForOthersThanTheLocalUser) {
    world.rig.line.askable = true;
    world.rig.line.answers["elicitation/create"] = R"({"action":"accept"})";
    const auto output = world.loop.run_until_done(world.rig.call(kOne, "buy", "https://id|ada"));
    EXPECT_EQ(reason_of(output), "approval_expired");
    EXPECT_TRUE(world.rig.line.asked.empty());
}

}  // namespace
}  // namespace gantry::gateway
