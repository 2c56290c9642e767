// Several instances that share a state folder.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gateway/approvals/approvals.hpp"
#include "gateway/pipeline/pipeline_rig.hpp"
#include "io/loop.hpp"
#include "io/scope.hpp"
#include "io/test_temporary_folder.hpp"

namespace gantry::gateway {
namespace {

using testing::ElementsAre;
using testing::StartsWith;

constexpr const char* kBuy = R"({"name":"buy","inputSchema":{"type":"object"}})";
const std::string kOne = R"({"params":{"name":"buy","arguments":{"count":1}}})";

class Heard final : public Observer {
public:
    void approval_requested(const ApprovalRequested& event) noexcept override {
        said.push_back("asked " + event.approval.tool);
    }
    void approval_answered(const ApprovalAnswered& event) noexcept override {
        said.push_back(std::string(event.approved ? "yes " : "no ") + std::string(event.reason));
    }
    std::vector<std::string> said;
};

/// One gateway's approvals on the shared folder.
class Instance {
public:
    Instance(const std::string& folder, ApprovalOptions options)
        : store_(make_folder_approval_store(folder)), approvals(options, {.store = *store_, .observer = &heard}) {
        rig.settings.approvals = std::move(options);
        rig.apply();
        EXPECT_TRUE(approvals.open().has_value());
    }

private:
    std::unique_ptr<ApprovalStore> store_;

public:
    Heard heard;
    Approvals approvals;
    PipelineRig rig{{kBuy}, {}, {}, &approvals};
};

std::string reason_of(const Result<Output>& output) {
    if (output) return "ran";
    if (output.error().rpc() == nullptr) return output.error().to_string();
    return std::string(Json::parse(output.error().rpc()->data)->string_at("reason"));
}

class SharedApprovals : public testing::Test {
protected:
    using Script = std::function<Task<void>(SharedApprovals&, Instance& here, Instance& there)>;
    void run(Duration timeout, Script script) {
        ApprovalOptions options{.timeout = timeout};
        options.rules.push_back({.tools = {"buy"}});
        Instance here(folder.path(), options);
        Instance there(folder.path(), options);
        loop.run_until_done([](SharedApprovals& test, Instance& a, Instance& b, Script& play) -> Task<void> {
            a.approvals.follow();
            b.approvals.follow();
            co_await play(test, a, b);
            co_await a.approvals.stop();
            co_await b.approvals.stop();
        }(*this, here, there, script));
    }
    static Task<void> call(Instance& at, std::string& fate) { fate = reason_of(co_await at.rig.call(kOne, "buy")); }
    /// Waits until the instance has noticed `count` questions without being asked.
    static Task<std::string> seen(Instance& at, std::size_t count = 1) {
        while (at.approvals.list().size() != count) co_await one_turn();
        co_return count == 0 ? std::string() : at.approvals.list().front().id;
    }
    Loop loop;
    TemporaryFolder folder;
};

TEST_F(SharedApprovals, EachInstanceSeesTheOthersQuestionsAndItsAnswerFreesTheCall) {
    run(seconds(60), [](SharedApprovals&, Instance& here, Instance& there) -> Task<void> {
        std::string fate;
        Scope scope(Context::background());
        scope.spawn(call(here, fate));
        const std::string id = co_await seen(there);
        EXPECT_EQ(there.approvals.list().at(0).arguments, R"({"count":1})");
        EXPECT_TRUE((co_await there.approvals.answer(id, {.approved = true, .reason = "fine"})).has_value());
        co_await scope.join();
        EXPECT_EQ(fate, "ran");
        EXPECT_EQ(here.rig.source->calls.size(), 1u);
        EXPECT_THAT(here.heard.said, ElementsAre("asked buy")) << "each happening is told once";
        EXPECT_THAT(there.heard.said, ElementsAre("yes fine"));
        // Consumed at every instance.
        const auto second = co_await here.approvals.answer(id, {.approved = true});
        EXPECT_EQ(second.error().code(), ErrorCode::kNotFound);
        co_await seen(there, 0);
    });
}

TEST_F(SharedApprovals, ANoComesWithItsReasonAndHoldsAtEveryInstance) {
    run(seconds(60), [](SharedApprovals&, Instance& here, Instance& there) -> Task<void> {
        std::string fate;
        Scope scope(Context::background());
        scope.spawn(call(here, fate));
        const std::string id = co_await seen(there);
        EXPECT_TRUE((co_await there.approvals.answer(id, {.reason = "not today"})).has_value());
        co_await scope.join();
        EXPECT_EQ(fate, "approval_rejected");
        const auto again = co_await there.rig.call(kOne, "buy");
        EXPECT_EQ(reason_of(again), "approval_rejected") << "not asked again, wherever it comes";
        EXPECT_THAT(again.error().message(), testing::HasSubstr("not today"));
    });
}

TEST_F(SharedApprovals, TwoInstancesWithTheSameApprovedCallRunItOnce) {
    run(seconds(60), [](SharedApprovals&, Instance& here, Instance& there) -> Task<void> {
        std::string one;
        std::string other;
        Scope scope(Context::background());
        scope.spawn(call(here, one));
        const std::string id = co_await seen(there);
        // The caller repeated the call, which arrived at another instance: the same question.
        scope.spawn(call(there, other));
        EXPECT_TRUE((co_await here.approvals.answer(id, {.approved = true})).has_value());
        // The instance that lost the race asks again for its own call.
        while (one.empty() && other.empty()) co_await one_turn();
        std::string next;
        while (next.empty()) {
            co_await one_turn();
            for (const auto& pending : here.approvals.list()) {
                if (pending.id != id) next = pending.id;
            }
        }
        EXPECT_EQ(here.rig.source->calls.size() + there.rig.source->calls.size(), 1u);
        EXPECT_TRUE((co_await here.approvals.answer(next, {.reason = "once is enough"})).has_value());
        co_await scope.join();
        EXPECT_EQ(here.rig.source->calls.size() + there.rig.source->calls.size(), 1u);
        const std::vector<std::string> fates{one, other};
        EXPECT_THAT(fates, testing::UnorderedElementsAre("ran", "approval_rejected"));
    });
}

TEST_F(SharedApprovals, AQuestionWhoseInstanceIsGoneExpiresAtTheOthers) {
    {
        // Asked by a process that then dies.
        PendingApproval left{.id = "left", .source = "shop", .tool = "buy", .principal = "local", .digest = "x"};
        const auto now = std::chrono::system_clock::now().time_since_epoch();
        left.expires_ms = std::chrono::duration_cast<milliseconds>(now).count() + 300;
        const auto store = make_folder_approval_store(folder.path());
        ASSERT_TRUE(store->open().has_value());
        ASSERT_TRUE(loop.run_until_done(store->add(Context::background(), left)).has_value());
    }
    run(seconds(60), [](SharedApprovals&, Instance& here, Instance& there) -> Task<void> {
        while (here.heard.said.size() + there.heard.said.size() == 0) co_await one_turn();
        co_await seen(here, 0);
        co_await seen(there, 0);
        const auto late = co_await here.approvals.answer("left", {.approved = true});
        EXPECT_EQ(late.error().code(), ErrorCode::kNotFound);
        EXPECT_EQ(here.heard.said.size() + there.heard.said.size(), 1u) << "told by one of them";
    });
    EXPECT_TRUE(std::filesystem::is_empty(std::filesystem::path(folder.path()) / "approvals"));
}

TEST_F(SharedApprovals, NobodyAnswersAtAnyInstance) {
    run(milliseconds(200), [](SharedApprovals&, Instance& here, Instance& there) -> Task<void> {
        std::string one;
        std::string other;
        Scope scope(Context::background());
        scope.spawn(call(here, one));
        co_await seen(there);
        scope.spawn(call(there, other));
        co_await scope.join();
        EXPECT_EQ(one, "approval_expired");
        EXPECT_EQ(other, "approval_expired");
        std::vector<std::string> said = here.heard.said;
        said.insert(said.end(), there.heard.said.begin(), there.heard.said.end());
        EXPECT_THAT(said, testing::UnorderedElementsAre("asked buy", StartsWith("no not answered")));
    });
}

}  // namespace
}  // namespace gantry::gateway
