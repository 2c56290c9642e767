// What is decided about a POST before anything is looked up or awaited.
#include "mcp/server/post_decision.hpp"

#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

#include "mcp/protocol/errors.hpp"

namespace gantry::mcp {
namespace {

using Action = PostDecision::Action;

constexpr std::string_view kMeta =
    R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}})";

std::string legacy(std::string_view method) {
    return R"({"jsonrpc":"2.0","id":7,"method":")" + std::string(method) + R"("})";
}
std::string modern(std::string_view method) {
    return R"({"jsonrpc":"2.0","id":7,"method":")" + std::string(method) + R"(","params":{)" + std::string(kMeta) +
           "}}";
}
http::Headers modern_head(std::string_view method) {
    return {{"MCP-Protocol-Version", "2026-07-28"}, {"Mcp-Method", method}};
}
http::Headers accepting(std::string_view types) {
    return {{"Accept", types}};
}

std::expected<PostDecision, Rejection> decide(const http::Headers& headers, const std::string& text,
                                              Eras eras = Eras::kBoth) {
    const auto view = json::scan_envelope(text);
    EXPECT_TRUE(view) << text;
    const std::string method = view->method.text().value_or("");
    return decide_post(RequestHead::of(headers), *view, method, eras);
}

struct Accepted {
    std::string text;
    http::Headers headers;
    Action action;
    Era era;
    bool stream_at_once = false;
};

TEST(PostDecision, EveryKindOfMessageHasItsAction) {
    const std::string notification = R"({"jsonrpc":"2.0","method":"notifications/x"})";
    const std::string both = "application/json, text/event-stream";
    const std::vector<Accepted> rows{
        {legacy("tools/list"), {}, Action::kServeRequest, Era::kLegacy},
        {legacy("tools/list"), accepting(both), Action::kServeRequest, Era::kLegacy},
        {legacy("tools/list"), accepting("application/json"), Action::kServeRequest, Era::kLegacy},
        {legacy("tools/list"), accepting("text/event-stream"), Action::kServeRequest, Era::kLegacy, true},
        {legacy("tools/list"), accepting("application/json;q=0, */*"), Action::kServeRequest, Era::kLegacy},
        {legacy("ping"), {}, Action::kServeRequest, Era::kLegacy},
        {legacy("server/discover"), {}, Action::kServeRequest, Era::kLegacy},
        {legacy("subscriptions/listen"), {}, Action::kServeRequest, Era::kLegacy},
        {legacy("initialize"), {}, Action::kStartSession, Era::kLegacy},
        {notification, {}, Action::kTakeNotification, Era::kLegacy},
        {notification, accepting("text/html"), Action::kTakeNotification, Era::kLegacy},
        {R"({"jsonrpc":"2.0","id":1,"result":{}})", {}, Action::kTakeResponse, Era::kLegacy},
        {"[]", {}, Action::kServeBatch, Era::kLegacy},
        {modern("tools/list"), modern_head("tools/list"), Action::kServeRequest, Era::kModern},
        {modern("server/discover"), modern_head("server/discover"), Action::kServeRequest, Era::kModern},
        {modern("vendor/thing"), modern_head("vendor/thing"), Action::kServeRequest, Era::kModern},
        {modern("subscriptions/listen"), modern_head("subscriptions/listen"), Action::kListen, Era::kModern},
        {notification, modern_head("notifications/x"), Action::kTakeNotification, Era::kModern},
    };
    for (const Accepted& row : rows) {
        const auto decided = decide(row.headers, row.text);
        ASSERT_TRUE(decided) << row.text << ": " << decided.error().error.message;
        EXPECT_EQ(decided->action, row.action) << row.text;
        EXPECT_EQ(decided->era, row.era) << row.text;
        EXPECT_EQ(decided->stream_at_once, row.stream_at_once) << row.text;
    }
}

TEST(PostDecision, AModernRequestCarriesItsClaim) {
    const auto decided = decide(modern_head("tools/list"), modern("tools/list"));
    ASSERT_TRUE(decided);
    EXPECT_EQ(decided->claim.revision, Revision::k2026_07_28);
    ASSERT_NE(decided->claim.info, nullptr);
    EXPECT_EQ(decided->claim.info->name, "tools/list");
    EXPECT_FALSE(decided->claim.log_level);
}

struct Rejected {
    std::string text;
    http::Headers headers;
    int status;
    std::int64_t code;
    Eras eras = Eras::kBoth;
};

TEST(PostDecision, ARejectionHasStatusAndCode) {
    const std::vector<Rejected> rows{
        {"7", {}, 400, rpc_code::kInvalidRequest},
        {legacy("tools/list"), accepting("text/html"), 406, rpc_code::kInvalidRequest},
        {legacy("initialize"), accepting("text/html"), 406, rpc_code::kInvalidRequest},
        {legacy("tools/list"), {}, 400, rpc_code::kInvalidParams, Eras::kModern},
        {legacy("initialize"), {}, 400, rpc_code::kUnsupportedVersion, Eras::kModern},
        {"[]", {}, 400, rpc_code::kInvalidRequest, Eras::kModern},
        {modern("tools/list"), {}, 400, rpc_code::kHeaderMismatch},
        {modern("ping"), modern_head("ping"), 404, rpc_code::kMethodNotFound},
        {modern("tools/list"), modern_head("tools/list"), 400, rpc_code::kUnsupportedVersion, Eras::kLegacy},
    };
    for (const Rejected& row : rows) {
        const auto decided = decide(row.headers, row.text, row.eras);
        ASSERT_FALSE(decided) << row.text;
        EXPECT_EQ(decided.error().status, row.status) << row.text;
        EXPECT_EQ(decided.error().error.code, row.code) << row.text;
    }
}

TEST(PostHead, MediaTypeComesBeforeTheDeclaredLength) {
    struct Row {
        std::string type;
        std::optional<std::uint64_t> length;
        int status;  // 0: not rejected
    };
    for (const Row& row : std::vector<Row>{
             {"application/json", 100, 0},
             {"application/json", std::nullopt, 0},
             {"application/json; charset=utf-8", 0, 0},
             {"application/json", 101, 413},
             {"text/plain", 100, 415},
             {"text/plain", 101, 415},
             {"", std::nullopt, 415},
         }) {
        const http::Headers headers{{"Content-Type", row.type}};
        const auto rejected = check_post_head(RequestHead::of(headers), row.length, 100);
        EXPECT_EQ(rejected ? rejected->status : 0, row.status) << row.type << ' ' << row.length.value_or(0);
    }
}

TEST(PostLoad, IsBoundedInNumberAndInBytes) {
    constexpr std::size_t kMegabyte = 1u << 20;
    struct Row {
        PostLoad load;
        std::size_t body;
        int status;  // 0: admitted
    };
    for (const Row& row : std::vector<Row>{
             {{}, 100, 0},
             {{.calls = 3}, 100, 0},
             {{.calls = 4}, 100, 200},
             {{.id_in_flight = true}, 100, 400},
             {{.calls = 4, .id_in_flight = true}, 100, 400},
             {{.large_bytes = 63 * kMegabyte}, kMegabyte, 0},
             {{.large_bytes = 64 * kMegabyte}, kMegabyte, 200},
             {{.large_bytes = 64 * kMegabyte}, kLargeRequest, 0},  // small ones are not in the budget
             {{.large_bytes = 0}, 65 * kMegabyte, 0},              // alone, however large
             {{.large_bytes = kLargeRequest + 1}, 64 * kMegabyte, 200},
         }) {
        const auto rejected = check_load(row.load, row.body, 4);
        EXPECT_EQ(rejected ? rejected->status : 0, row.status)
            << row.load.calls << ' ' << row.load.large_bytes << ' ' << row.body;
    }
    EXPECT_EQ(large_share(kLargeRequest), 0u);
    EXPECT_EQ(large_share(kLargeRequest + 1), kLargeRequest + 1);
}

TEST(Responder, EachEraHasMethodsThatTheEndpointAnswers) {
    struct Row {
        std::string method;
        Era era;
        Responder responder;
    };
    for (const Row& row : std::vector<Row>{
             {"tools/call", Era::kModern, Responder::kBackend},
             {"server/discover", Era::kModern, Responder::kDiscovery},
             {"vendor/thing", Era::kModern, Responder::kBackend},
             {"tools/call", Era::kLegacy, Responder::kBackend},
             {"vendor/thing", Era::kLegacy, Responder::kBackend},
             {"ping", Era::kLegacy, Responder::kHousekeeping},
             {"logging/setLevel", Era::kLegacy, Responder::kHousekeeping},
             {"resources/subscribe", Era::kLegacy, Responder::kHousekeeping},
             {"server/discover", Era::kLegacy, Responder::kHousekeeping},         // refused there: it came later
             {"sampling/createMessage", Era::kLegacy, Responder::kHousekeeping},  // refused there: it goes to clients
         }) {
        const std::string text = legacy(row.method);
        const auto view = json::scan_envelope(text);
        const Revision revision = row.era == Era::kModern ? Revision::k2026_07_28 : Revision::k2025_11_25;
        const Call call{.peer = nullptr,
                        .text = text,
                        .view = *view,
                        .method = row.method,
                        .info = find_method(row.method, revision)};
        EXPECT_EQ(responder_of(call, row.era), row.responder) << row.method;
    }
}

class NoMore final : public AnswerStream {
public:
    Task<Result<std::optional<std::string_view>>> next(const Context&) override {
        co_return std::optional<std::string_view>();
    }
};

TEST(Delivery, DependsOnTheFormOfTheAnswerAndOnThePage) {
    const http::Headers page{{"Origin", "http://localhost"}};
    const RequestHead from_page = RequestHead::of(page);
    const auto answer = [](std::size_t size) {
        Answer made;
        made.message.assign(size, ' ');
        return made;
    };
    EXPECT_EQ(delivery_of(answer(0), {}), Delivery::kNothing);
    EXPECT_EQ(delivery_of(answer(0), from_page), Delivery::kNothing);
    EXPECT_EQ(delivery_of(answer(4096), {}), Delivery::kWholeSmall);
    EXPECT_EQ(delivery_of(answer(4097), {}), Delivery::kWhole);
    EXPECT_EQ(delivery_of(answer(10), from_page), Delivery::kInParts) << "its headers differ";
    Answer shared = answer(10);
    shared.shared_result = std::make_shared<const std::string>("{}");
    EXPECT_EQ(delivery_of(shared, {}), Delivery::kInParts);
    Answer streamed = answer(10);
    streamed.rest = std::make_unique<NoMore>();
    EXPECT_EQ(delivery_of(streamed, {}), Delivery::kInParts);
}

}  // namespace
}  // namespace gantry::mcp
