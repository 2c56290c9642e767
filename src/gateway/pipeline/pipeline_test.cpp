#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gateway/pipeline/pipeline_rig.hpp"
#include "io/loop.hpp"

namespace gantry::gateway {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kBuy =
    R"({"name":"buy","inputSchema":{"type":"object","properties":{"count":{"type":"integer"}},"required":["count"]}})";
constexpr const char* kBuyOne = R"({"params":{"name":"buy","arguments":{"count":1}}})";

Output asks(std::string questions, std::optional<std::string> state) {
    Output output = make_output(R"({"resultType":"input_required"})", mcp::kLatestRevision);
    output.kind = Output::Kind::kInputRequired;
    output.questions = std::move(questions);
    output.state = std::move(state);
    return output;
}

class PipelineTest : public testing::Test {
protected:
    Result<Output> call(const std::string& message, std::string name = "buy", std::string who = "local") {
        return loop_.run_until_done(rig.call(message, std::move(name), std::move(who)));
    }
    Loop loop_;
    PipelineRig rig{{kBuy}};
};

TEST_F(PipelineTest, ACallReachesItsSourceUnderTheSourcesOwnNameAndIsRecorded) {
    const auto output = call(kBuyOne);
    ASSERT_TRUE(output.has_value()) << output.error().to_string();
    ASSERT_EQ(rig.source->calls.size(), 1u);
    EXPECT_EQ(rig.source->calls[0].own_name, "buy");
    EXPECT_EQ(rig.source->calls[0].params, R"({"name":"buy","arguments":{"count":1}})");
    ASSERT_EQ(rig.recorder.records.size(), 1u);
    EXPECT_EQ(rig.recorder.records[0].source, "shop");
    EXPECT_EQ(rig.recorder.records[0].principal, "local");
    EXPECT_FALSE(rig.recorder.records[0].error.has_value());
}

TEST_F(PipelineTest, WhatIsForbiddenIsUnknownInTheSameWords) {
    const auto missing = call(R"({"params":{"name":"nothing"}})", "nothing");
    rig.policy->forbidden = "buy";
    const auto forbidden = call(kBuyOne);
    ASSERT_FALSE(missing.has_value());
    ASSERT_FALSE(forbidden.has_value());
    EXPECT_EQ(missing.error().code(), ErrorCode::kNotFound);
    // They differ only in the requested name.
    EXPECT_EQ(missing.error().to_string(), "not found: no tool 'nothing'");
    EXPECT_EQ(forbidden.error().to_string(), "not found: no tool 'buy'");
    EXPECT_TRUE(rig.source->calls.empty());
    EXPECT_EQ(rig.recorder.records.size(), 2u) << "refusals are recorded too";
}

TEST_F(PipelineTest, ArgumentsThatDoNotFitNeverReachTheSourceNorTheMessage) {
    const auto output = call(R"({"params":{"name":"buy","arguments":{"count":"secret-value"}}})");
    ASSERT_FALSE(output.has_value());
    EXPECT_EQ(output.error().code(), ErrorCode::kSchema);
    EXPECT_THAT(output.error().to_string(), HasSubstr("argument 'count' must be an integer"));
    EXPECT_THAT(output.error().to_string(), Not(HasSubstr("secret-value")));
    EXPECT_TRUE(rig.source->calls.empty());
}

TEST_F(PipelineTest, AMissingArgumentIsNamedWithItsType) {
    const auto output = call(R"({"params":{"name":"buy","arguments":{}}})");
    ASSERT_FALSE(output.has_value());
    EXPECT_EQ(output.error().message(), "missing required argument 'count' (integer)");
}

TEST(UnknownToolTest, SuggestsTheNearestNameTheCallerMayUse) {
    Loop loop;
    PipelineRig rig{{R"({"name":"remote_echo"})", R"({"name":"echos"})", R"({"name":"add"})"}};
    const auto refusal = [&](const std::string& name) {
        const auto output = loop.run_until_done(rig.call(R"({"params":{"name":")" + name + "\"}}", name, "local"));
        EXPECT_FALSE(output.has_value());
        return output ? std::string() : output.error().message();
    };
    EXPECT_EQ(refusal("ad"), "no tool 'ad'; did you mean 'add'?");
    EXPECT_EQ(refusal("echo"), "no tool 'echo'; did you mean 'echos'?");
    rig.policy->forbidden = "echos";
    EXPECT_EQ(refusal("echo"), "no tool 'echo'; did you mean 'remote_echo'?") << "what is forbidden is never named";
    EXPECT_EQ(refusal("echos"), "no tool 'echos'") << "nor told apart from what is missing";
    EXPECT_EQ(refusal(std::string(1000, 'x')), "no tool of 1000 bytes");
}

TEST_F(PipelineTest, ArgumentsThatAreNoObjectAreRefused) {
    const auto output = call(R"({"params":{"name":"buy","arguments":[1]}})");
    ASSERT_FALSE(output.has_value());
    EXPECT_EQ(output.error().code(), ErrorCode::kInvalidArgument);
}

TEST(PipelineOptionsTest, ValidationCanBeSwitchedOff) {
    Loop loop;
    PipelineRig rig({kBuy}, {.guard = {.validate_arguments = false}});
    const std::string message = R"({"params":{"name":"buy","arguments":{}}})";
    EXPECT_TRUE(loop.run_until_done(rig.call(message, "buy")).has_value());
}

TEST(PipelineHeadersTest, ArgumentsMustAgreeWithTheirHeaders) {
    Loop loop;
    PipelineRig rig(
        {R"({"name":"go","inputSchema":{"type":"object","properties":{"to":{"type":"string","x-mcp-header":"To"}}}})"});
    const std::string message = R"({"params":{"name":"go","arguments":{"to":"north"}}})";
    std::string field = "south";
    rig.headers = [&](std::string_view name) { return name == "Mcp-Param-To" ? &field : nullptr; };
    const auto refused = loop.run_until_done(rig.call(message, "go"));
    ASSERT_FALSE(refused.has_value());
    ASSERT_NE(refused.error().rpc(), nullptr);
    EXPECT_EQ(refused.error().rpc()->code, -32020);
    field = "north";
    EXPECT_TRUE(loop.run_until_done(rig.call(message, "go")).has_value());
}

TEST_F(PipelineTest, AQuestionGoesOutWithASealedStateThatBringsTheAnswerBackToTheSource) {
    rig.source->on_call = [](const AdmittedCall&) { return asks(R"({"q":{"method":"roots/list"}})", "inner words"); };
    const auto asked = call(kBuyOne);
    ASSERT_TRUE(asked.has_value());
    EXPECT_EQ(asked->kind, Output::Kind::kInputRequired);
    ASSERT_TRUE(asked->state.has_value());
    EXPECT_THAT(*asked->state, Not(HasSubstr("inner")));

    rig.source->on_call = [](const AdmittedCall&) { return make_output(R"({"content":[]})", mcp::kLatestRevision); };
    // Spelt differently on the retry: still the same call.
    const std::string retry =
        R"({"params":{"arguments": {"count": 1},"name":"buy","inputResponses":{"q":{"roots":[]}},"requestState":")" +
        *asked->state + R"("}})";
    ASSERT_TRUE(call(retry).has_value());
    EXPECT_EQ(rig.source->calls.back().resume, "inner words");
}

TEST_F(PipelineTest, AStateServesNobodyElseNoOtherCallAndNoForger) {
    rig.source->on_call = [](const AdmittedCall&) { return asks("{}", "inner"); };
    const std::string state = *call(kBuyOne)->state;
    const auto with = [](const std::string& token, int count) {
        return R"({"params":{"name":"buy","arguments":{"count":)" + std::to_string(count) + R"(},"requestState":")" +
               token + R"("}})";
    };
    EXPECT_TRUE(call(with(state, 1)).has_value());
    EXPECT_EQ(call(with(state, 1), "buy", "mallory").error().code(), ErrorCode::kInvalidArgument);
    EXPECT_EQ(call(with(state, 2)).error().code(), ErrorCode::kInvalidArgument);
    EXPECT_EQ(call(with(state + "-TAMPERED", 1)).error().code(), ErrorCode::kInvalidArgument);
    EXPECT_EQ(call(with("made-up", 1)).error().code(), ErrorCode::kInvalidArgument);
}

TEST_F(PipelineTest, AStateTheSourceNeverGaveIsNotHandedToIt) {
    rig.source->on_call = [](const AdmittedCall&) { return asks(R"({"q":{"method":"roots/list"}})", std::nullopt); };
    const std::string state = *call(kBuyOne)->state;
    const std::string retry = R"({"params":{"name":"buy","arguments":{"count":1},"requestState":")" + state + R"("}})";
    ASSERT_TRUE(call(retry).has_value());
    EXPECT_FALSE(rig.source->calls.back().resume.has_value());
}

TEST_F(PipelineTest, ACallerThatCanBeAskedIsAskedUntilTheSourceIsSatisfied) {
    rig.line.askable = true;
    rig.line.answers = {{"elicitation/create", R"({"action":"accept","content":{"size":7}})"},
                        {"roots/list", R"({"roots":[]})"}};
    int round = 0;
    rig.source->on_call = [&](const AdmittedCall& call) -> Result<Output> {
        ++round;
        if (round == 1)
            return asks(
                R"({"a":{"method":"elicitation/create","params":{"message":"size?"}},"b":{"method":"roots/list"}})",
                "s1");
        if (round == 2) {
            EXPECT_EQ(call.resume_state(), "s1");
            EXPECT_THAT(std::string(call.incoming().view.input_responses.raw()),
                        testing::AllOf(HasSubstr(R"("a":{"action":"accept","content":{"size":7}})"),
                                       HasSubstr(R"("b":{"roots":[]})")));
            return asks("", "s2");  // only asks to be called again
        }
        EXPECT_EQ(call.resume_state(), "s2");
        EXPECT_EQ(call.incoming().view.input_responses.raw(), "{}");
        return make_output(R"({"content":[{"type":"text","text":"done"}]})", mcp::kLatestRevision);
    };
    const auto output = call(kBuyOne);
    ASSERT_TRUE(output.has_value()) << output.error().to_string();
    EXPECT_THAT(std::string(output->result()), HasSubstr("done"));
    EXPECT_EQ(rig.line.asked.size(), 2u);
    EXPECT_EQ(rig.recorder.records.size(), 1u) << "one call, however many rounds";
}

TEST_F(PipelineTest, ARefusedElicitationIsACancelAndARefusedSamplingAFailedTool) {
    rig.line.askable = true;
    std::string seen;
    int round = 0;
    rig.source->on_call = [&](const AdmittedCall& call) -> Result<Output> {
        if (++round == 1) return asks(R"({"a":{"method":"elicitation/create","params":{}}})", std::nullopt);
        seen = call.incoming().view.input_responses.raw();
        return make_output(R"({"content":[]})", mcp::kLatestRevision);
    };
    ASSERT_TRUE(call(kBuyOne).has_value());
    EXPECT_EQ(seen, R"({"a":{"action":"cancel"}})");

    round = 0;
    rig.source->on_call = [&](const AdmittedCall&) {
        return asks(R"({"a":{"method":"sampling/createMessage","params":{}}})", std::nullopt);
    };
    const auto failed = call(kBuyOne);
    ASSERT_TRUE(failed.has_value());
    EXPECT_TRUE(failed->view().is_error.is_true());
}

TEST_F(PipelineTest, ASourceThatNeverStopsAskingIsStopped) {
    rig.line.askable = true;
    rig.line.answers = {{"roots/list", R"({"roots":[]})"}};
    rig.source->on_call = [](const AdmittedCall&) { return asks(R"({"a":{"method":"roots/list"}})", "again"); };
    const auto output = call(kBuyOne);
    ASSERT_FALSE(output.has_value());
    EXPECT_EQ(output.error().code(), ErrorCode::kLimit);
}

TEST_F(PipelineTest, ATaskIdIsSealedAndFoundAgainByItsOwnerOnly) {
    rig.source->on_call = [](const AdmittedCall&) {
        Output output = make_output(R"({"resultType":"task","taskId":"t-1"})", mcp::kLatestRevision);
        output.kind = Output::Kind::kTask;
        output.state = "t-1";
        return output;
    };
    const auto created = call(kBuyOne);
    ASSERT_TRUE(created.has_value());
    const std::string id = *created->state;
    rig.source->on_call = [](const AdmittedCall&) { return make_output("{}", mcp::kLatestRevision); };
    const auto get = [&](std::string who) {
        return loop_.run_until_done(rig.pipeline.run(
            Context::background(),
            {.verb = Verb::kGetTask, .name = id, .params = "{}", .client = rig.traits, .snapshot = *rig.snapshot},
            std::make_shared<const Principal>(Principal{.id = std::move(who)}), rig.line));
    };
    rig.traits.capabilities.extensions.set(std::string(mcp::kTasksExtension), JsonObject{});
    ASSERT_TRUE(get("local").has_value());
    EXPECT_EQ(rig.source->calls.back().own_name, "t-1");
    EXPECT_EQ(get("mallory").error().code(), ErrorCode::kInvalidArgument);

    NameBook names;
    rig.catalog = empty_catalog(names);
    rig.apply();
    EXPECT_TRUE(get("local").has_value()) << "its server is away for a while";
}

TEST_F(PipelineTest, TasksAreForClientsThatDeclareThemAndOnlyWhereSomebodyOffersThem) {
    const auto code_of = [&] {
        const auto got = loop_.run_until_done(
            rig.pipeline.run(Context::background(),
                             {.verb = Verb::kGetTask,
                              .name = "made-up",
                              .params = "{}",
                              .client = rig.traits,
                              .snapshot = *rig.snapshot},
                             std::make_shared<const Principal>(Principal{.id = "local"}), rig.line));
        const RpcError* rpc = got ? nullptr : got.error().rpc();
        return rpc == nullptr ? 0 : rpc->code;
    };
    EXPECT_EQ(code_of(), -32021);
    rig.traits.capabilities.extensions.set(std::string(mcp::kTasksExtension), JsonObject{});
    EXPECT_EQ(code_of(), 0) << "an unknown task is an invalid argument";
    rig.traits.revision = mcp::Revision::k2025_11_25;
    EXPECT_EQ(code_of(), -32601) << "only the extension's form is offered";
    NameBook names;
    rig.catalog = empty_catalog(names);
    rig.apply();
    rig.traits.revision = mcp::kLatestRevision;
    EXPECT_EQ(code_of(), -32601);
}

TEST(PipelineLimitsTest, OneCallerCannotTakeEverything) {
    Loop loop;
    PipelineRig rig({kBuy}, {.guard = {.max_running = 0}});
    const std::string message = kBuyOne;
    const auto output = loop.run_until_done(rig.call(message, "buy"));
    ASSERT_FALSE(output.has_value());
    EXPECT_EQ(output.error().code(), ErrorCode::kLimit);
    EXPECT_TRUE(output.error().retryable());
}

}  // namespace
}  // namespace gantry::gateway
