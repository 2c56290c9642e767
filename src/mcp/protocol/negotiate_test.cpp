#include "mcp/protocol/negotiate.hpp"

#include <gtest/gtest.h>

#include "mcp/protocol/errors.hpp"

namespace gantry::mcp {
namespace {

using Kind = Verdict::Kind;

RpcOutcome discovered(std::string_view versions) {
    return *Json::parse(R"({"resultType":"complete","supportedVersions":)" + std::string(versions) +
                        R"(,"capabilities":{"tools":{}},"ttlMs":0,"cacheScope":"private"})");
}

RpcOutcome refused(std::int64_t code, std::string data = {}) {
    return std::unexpected(RpcError{code, "no", std::move(data)});
}

HttpProbe http(int status, std::optional<RpcOutcome> answer = {}) {
    return {HttpProbe::ProbeOutcome::kAnswered, status, std::move(answer)};
}

struct Row {
    std::string what;
    HttpProbe probe;
    Kind expected;
};

TEST(HttpProbeVerdict, FollowsEveryRowOfTheTable) {
    const std::vector<Row> rows = {
        {"discover with ours", http(200, discovered(R"(["2026-07-28"])")), Kind::kModern},
        {"discover with both eras", http(200, discovered(R"(["2025-11-25","2026-07-28"])")), Kind::kModern},
        {"discover with ours and newer", http(200, discovered(R"(["2027-01-01","2026-07-28"])")), Kind::kModern},
        {"discover with legacy only", http(200, discovered(R"(["2025-06-18","2025-11-25"])")), Kind::kLegacy},
        {"discover with strangers only", http(200, discovered(R"(["2027-01-01"])")), Kind::kFatal},
        {"discover without versions", http(200, discovered("[]")), Kind::kFatal},
        {"a result that is no discover", http(200, RpcOutcome(Json(JsonObject{}))), Kind::kLegacy},
        {"-32022 only legacy", http(400, refused(-32022, R"({"supported":["2025-11-25"]})")), Kind::kLegacy},
        {"-32022 only other modern", http(400, refused(-32022, R"({"supported":["2027-01-01"]})")), Kind::kFatal},
        {"-32022 without data", http(400, refused(-32022)), Kind::kFatal},
        {"-32022 lists what was offered", http(400, refused(-32022, R"({"supported":["2026-07-28"]})")), Kind::kRetry},
        {"-32020", http(400, refused(-32020)), Kind::kModern},
        {"-32021", http(400, refused(-32021)), Kind::kModern},
        {"-32601 in 200", http(200, refused(-32601)), Kind::kLegacy},
        {"-32601 in 404", http(404, refused(-32601)), Kind::kLegacy},
        {"-32602", http(400, refused(-32602)), Kind::kLegacy},
        {"-32000", http(400, refused(-32000)), Kind::kLegacy},
        {"400 empty", http(400), Kind::kLegacy},
        {"404 empty", http(404), Kind::kLegacy},
        {"405 empty", http(405), Kind::kLegacy},
        {"406 empty", http(406), Kind::kLegacy},
        {"415 empty", http(415), Kind::kLegacy},
        {"200 garbage", http(200), Kind::kLegacy},
        {"202 empty", http(202), Kind::kLegacy},
        {"401", http(401), Kind::kAuthFirst},
        {"401 with a JSON-RPC body", http(401, refused(-32022)), Kind::kAuthFirst},
        {"403", http(403), Kind::kAuthFirst},
        {"407", http(407), Kind::kAuthFirst},
        {"408", http(408), Kind::kInconclusive},
        {"429", http(429), Kind::kInconclusive},
        {"500", http(500), Kind::kInconclusive},
        {"502 with a JSON-RPC body", http(502, refused(-32601)), Kind::kInconclusive},
        {"503", http(503), Kind::kInconclusive},
        {"302", http(302), Kind::kInconclusive},
        {"refused or reset", {HttpProbe::ProbeOutcome::kUnreachable, 0, {}}, Kind::kInconclusive},
        {"timeout", {HttpProbe::ProbeOutcome::kTimedOut, 0, {}}, Kind::kInconclusive},
    };
    for (const Row& row : rows) {
        const Verdict verdict = judge(row.probe);
        EXPECT_EQ(verdict.kind, row.expected) << row.what << ": " << verdict.reason;
        EXPECT_FALSE(verdict.reason.empty()) << row.what;
    }
}

TEST(HttpProbeVerdict, NeverRemembersWhatDecidedNothing) {
    EXPECT_TRUE(judge(http(404)).cacheable());
    EXPECT_TRUE(judge(http(200, discovered(R"(["2026-07-28"])"))).cacheable());
    for (const HttpProbe& probe : {http(401), http(429), http(500), http(400, refused(-32022))}) {
        EXPECT_FALSE(judge(probe).cacheable());
    }
}

TEST(HttpProbeVerdict, CarriesWhatTheServerSaidAboutItself) {
    const Verdict verdict = judge(http(200, discovered(R"(["2026-07-28"])")));
    ASSERT_TRUE(verdict.discovered);
    EXPECT_TRUE(verdict.discovered->capabilities.tools);
    EXPECT_EQ(verdict.revision, Revision::k2026_07_28);
}

// Only one modern revision is released, so a legacy offer stands in for a second one.
TEST(HttpProbeVerdict, RetriesOnceWithAMutualVersionAndThenGivesUp) {
    const HttpProbe probe = http(400, refused(-32022, R"({"supported":["2026-07-28"],"requested":"x"})"));
    ProbeState state{.offered = Revision::k2025_11_25, .retried = false, .ours = kAllRevisions};
    const Verdict first = judge(probe, state);
    EXPECT_EQ(first.kind, Kind::kRetry);
    EXPECT_EQ(first.revision, Revision::k2026_07_28);
    state.retried = true;
    EXPECT_EQ(judge(probe, state).kind, Kind::kFatal);
}

TEST(HttpProbeVerdict, ConfigurationNarrowsWhatIsOurs) {
    const std::array legacy_only = {Revision::k2025_06_18};
    const ProbeState state{.offered = kLatestRevision, .retried = false, .ours = legacy_only};
    EXPECT_EQ(judge(http(200, discovered(R"(["2025-06-18","2026-07-28"])")), state).kind, Kind::kLegacy);
}

TEST(StdioProbeVerdict, FollowsEveryRowOfTheTable) {
    const auto answered = [](RpcOutcome outcome) {
        return StdioProbe{StdioProbe::ProbeOutcome::kAnswered, std::move(outcome)};
    };
    EXPECT_EQ(judge(answered(discovered(R"(["2026-07-28"])"))).kind, Kind::kModern);
    EXPECT_EQ(judge(answered(discovered(R"(["2025-11-25"])"))).kind, Kind::kLegacy);
    EXPECT_EQ(judge(answered(refused(-32022, R"({"supported":["2025-11-25"]})"))).kind, Kind::kLegacy);
    EXPECT_EQ(judge(answered(refused(-32022, R"({"supported":["2027-01-01"]})"))).kind, Kind::kFatal);
    EXPECT_EQ(judge(answered(refused(-32021))).kind, Kind::kModern);
    EXPECT_EQ(judge(answered(refused(-32601))).kind, Kind::kLegacy);
    EXPECT_EQ(judge(answered(refused(-32602))).kind, Kind::kLegacy);
    EXPECT_EQ(judge(answered(refused(-32000))).kind, Kind::kLegacy);
    EXPECT_EQ(judge(StdioProbe{StdioProbe::ProbeOutcome::kTimedOut, {}}).kind, Kind::kLegacy);
    const Verdict exited = judge(StdioProbe{StdioProbe::ProbeOutcome::kExited, {}});
    EXPECT_EQ(exited.kind, Kind::kLegacy);
    EXPECT_TRUE(exited.restart);
    EXPECT_FALSE(judge(StdioProbe{StdioProbe::ProbeOutcome::kTimedOut, {}}).restart);
}

TEST(StdioProbeVerdict, LateResultSwitchesToModernAndLateErrorSaysNothing) {
    EXPECT_EQ(judge_late(discovered(R"(["2026-07-28"])"))->kind, Kind::kModern);
    EXPECT_FALSE(judge_late(discovered(R"(["2025-11-25"])")));
    EXPECT_FALSE(judge_late(refused(-32601)));
}

TEST(InitializeError, NamingAModernVersionMeansModern) {
    const auto named = judge_initialize_error({-32022, "no", R"({"supported":["2026-07-28"]})"});
    ASSERT_TRUE(named);
    EXPECT_EQ(named->kind, Kind::kModern);
    EXPECT_FALSE(judge_initialize_error({-32602, "no", R"({"supported":["2024-11-05"]})"}));
    EXPECT_FALSE(judge_initialize_error({-32602, "no", "{broken"}));
}

TEST(InitializeVersion, NeverOffersNorAcceptsAModernOne) {
    EXPECT_EQ(initialize_revision(), Revision::k2025_11_25);
    const std::array modern_only = {Revision::k2026_07_28};
    EXPECT_FALSE(initialize_revision(modern_only));
    EXPECT_EQ(accept_initialize_version("2024-11-05").value(), Revision::k2024_11_05);
    EXPECT_FALSE(accept_initialize_version("2026-07-28"));
    EXPECT_FALSE(accept_initialize_version("1.0"));
    const std::array one = {Revision::k2025_11_25};
    EXPECT_FALSE(accept_initialize_version("2024-11-05", one));
    EXPECT_EQ(answer_initialize_version("2025-03-26"), Revision::k2025_03_26);
    EXPECT_EQ(answer_initialize_version("2026-07-28"), Revision::k2025_11_25);
    EXPECT_EQ(answer_initialize_version("2099-01-01"), Revision::k2025_11_25);
}

TEST(AnswerInBody, FindsAJsonRpcAnswerAndNothingElse) {
    EXPECT_TRUE(answer_in_body(R"({"jsonrpc":"2.0","id":null,"error":{"code":-32022,"message":"m"}})"));
    EXPECT_FALSE(answer_in_body("<html>"));
    EXPECT_FALSE(answer_in_body(""));
    EXPECT_FALSE(answer_in_body(R"({"error":"not found"})"));
    EXPECT_FALSE(answer_in_body(R"({"jsonrpc":"2.0","method":"m"})"));
}

}  // namespace
}  // namespace gantry::mcp
