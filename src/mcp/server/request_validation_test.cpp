#include "mcp/server/request_validation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mcp/protocol/errors.hpp"
#include "mcp/protocol/headers.hpp"

namespace gantry::mcp {
namespace {

constexpr std::string_view kVersion = R"("io.modelcontextprotocol/protocolVersion":"2026-07-28")";
constexpr std::string_view kCapabilities = R"("io.modelcontextprotocol/clientCapabilities":{})";

std::string request(const std::string& method, const std::string& meta, const std::string& params = "") {
    return R"({"jsonrpc":"2.0","id":1,"method":")" + method + R"(","params":{"_meta":{)" + meta + "}" + params + "}}";
}
std::string both() {
    return std::string(kVersion) + "," + std::string(kCapabilities);
}

/// The complete validation of one message: 0 if it is accepted, else the code it is rejected with.
struct Climb {
    std::int64_t code = 0;
    int status = 200;
    std::optional<Era> era = {};
    std::string data = {};
};
Climb climb(const std::string& text, const http::Headers* headers = nullptr, Eras eras = Eras::kBoth) {
    const auto view = json::scan_envelope(text);
    if (!view) return {.code = rpc_code::kParse, .status = 400};
    const auto down = [](const Rejection& rejection) {
        return Climb{.code = rejection.error.code, .status = rejection.status, .data = rejection.error.data};
    };
    const auto kind = shape_of(*view);
    if (!kind) return down(kind.error());
    const std::optional<RequestHead> head =
        headers != nullptr ? std::optional(RequestHead::of(*headers)) : std::nullopt;
    const RequestHead* shown = head ? &*head : nullptr;
    const auto era = era_of(*view, *kind, shown, eras);
    if (!era) return down(era.error());
    if (*era == Era::kLegacy) return {.era = Era::kLegacy};
    const auto claim = validate_modern(*view, view->method.text().value_or(""), *kind, shown, eras);
    if (!claim) return down(claim.error());
    return {.era = Era::kModern};
}

const http::Headers kGood{{"MCP-Protocol-Version", "2026-07-28"}, {"Mcp-Method", "tools/list"}};

TEST(Shape, EveryFormOfJsonRpcIsToldApart) {
    const std::vector<std::pair<std::string, MessageKind>> good{
        {R"({"jsonrpc":"2.0","id":0,"method":"a"})", MessageKind::kRequest},
        {R"({"jsonrpc":"2.0","id":"","method":"a","params":null})", MessageKind::kRequest},
        {R"({"jsonrpc":"2.0","method":"a"})", MessageKind::kNotification},
        {R"({"jsonrpc":"2.0","id":1,"result":{}})", MessageKind::kResponse},
        {R"({"jsonrpc":"2.0","id":1,"result":{},"error":null})", MessageKind::kResponse},
        {R"({"jsonrpc":"2.0","id":null,"error":{"code":1}})", MessageKind::kResponse},
        {R"({"jsonrpc":"2.0","error":{"code":1}})", MessageKind::kResponse},
        {"[]", MessageKind::kBatch},
    };
    for (const auto& [text, kind] : good) {
        const auto shape = shape_of(*json::scan_envelope(text));
        ASSERT_TRUE(shape) << text;
        EXPECT_EQ(*shape, kind) << text;
    }
    for (const char* bad :
         {R"({"id":1,"method":"a"})", R"({"jsonrpc":"1.0","id":1,"method":"a"})",
          R"({"jsonrpc":"2.0","id":null,"method":"a"})", R"({"jsonrpc":"2.0","id":1.5,"method":"a"})",
          R"({"jsonrpc":"2.0","id":{},"method":"a"})", R"({"jsonrpc":"2.0","id":99999999999999999999,"method":"a"})",
          R"({"jsonrpc":"2.0","id":1,"method":7})", R"({"jsonrpc":"2.0","id":1,"method":"a","params":[]})",
          R"({"jsonrpc":"2.0","id":1,"method":"a","result":{}})", R"({"jsonrpc":"2.0","id":1})",
          R"({"jsonrpc":"2.0","id":1,"result":{},"error":{}})", R"({"jsonrpc":"2.0","result":{}})", "7", "\"text\"",
          "null"}) {
        const auto shape = shape_of(*json::scan_envelope(bad));
        ASSERT_FALSE(shape) << bad;
        EXPECT_EQ(shape.error().error.code, rpc_code::kInvalidRequest) << bad;
        EXPECT_EQ(shape.error().status, 400);
    }
}

TEST(EraOfAMessage, IsDecidedByItsBodyAlone) {
    EXPECT_EQ(climb(request("tools/list", both()), &kGood).era, Era::kModern);
    EXPECT_EQ(climb(R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})").era, Era::kLegacy);
    EXPECT_EQ(climb(R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{}})").era, Era::kLegacy);
    EXPECT_EQ(climb(R"({"jsonrpc":"2.0","id":1,"result":{}})").era, Era::kLegacy);
    EXPECT_EQ(climb("[]").era, Era::kLegacy);
}

TEST(EraOfAMessage, AModernHeaderWithoutAClaimIsAMissingClaim) {
    const Climb fell = climb(R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})", &kGood);
    EXPECT_EQ(fell.code, rpc_code::kInvalidParams);
    EXPECT_EQ(fell.status, 400);
    EXPECT_EQ(climb("[]", &kGood).code, rpc_code::kInvalidRequest);
    EXPECT_EQ(climb(R"({"jsonrpc":"2.0","id":1,"result":{}})", &kGood).code, rpc_code::kInvalidRequest);
    EXPECT_EQ(climb(R"({"jsonrpc":"2.0","method":"notifications/x"})", &kGood).code, rpc_code::kHeaderMismatch);
}

TEST(EraOfAMessage, InitializeIsLegacyUnlessItsClaimIsGood) {
    EXPECT_EQ(climb(request("initialize", std::string(kVersion))).era, Era::kLegacy);
    const http::Headers modern{{"MCP-Protocol-Version", "2026-07-28"}, {"Mcp-Method", "initialize"}};
    EXPECT_EQ(climb(request("initialize", ""), &modern).code, rpc_code::kHeaderMismatch);
    const Climb refused = climb(request("initialize", both()), &modern);
    EXPECT_EQ(refused.code, rpc_code::kMethodNotFound);
    EXPECT_EQ(refused.status, 404);
    const http::Headers old{{"MCP-Protocol-Version", "2025-11-25"}, {"Mcp-Method", "initialize"}};
    EXPECT_EQ(climb(request("initialize", ""), &old).era, Era::kLegacy);
}

TEST(EraOfAMessage, AnEndpointOfOneEraNamesWhatItSpeaks) {
    const Climb modern =
        climb(R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18"}})", nullptr,
              Eras::kModern);
    EXPECT_EQ(modern.code, rpc_code::kUnsupportedVersion);
    EXPECT_EQ(modern.data, R"({"supported":["2026-07-28"],"requested":"2025-06-18"})");
    EXPECT_EQ(climb(R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})", nullptr, Eras::kModern).code,
              rpc_code::kInvalidParams);
    EXPECT_EQ(climb(R"({"jsonrpc":"2.0","id":1,"result":{}})", nullptr, Eras::kModern).code, rpc_code::kInvalidRequest);
    const Climb legacy = climb(request("tools/list", both()), &kGood, Eras::kLegacy);
    EXPECT_EQ(legacy.code, rpc_code::kUnsupportedVersion);
    EXPECT_EQ(legacy.data,
              R"({"supported":["2025-11-25","2025-06-18","2025-03-26","2024-11-05"],"requested":"2026-07-28"})");
}

TEST(RequiredMeta, ComesBeforeEverythingThatHeadersSay) {
    const http::Headers none;
    for (const std::string& meta :
         {std::string(kVersion), std::string(kVersion) + R"(,"io.modelcontextprotocol/clientCapabilities":[])",
          both() + R"(,"io.modelcontextprotocol/clientInfo":"x")",
          both() + R"(,"io.modelcontextprotocol/logLevel":"loud")", both() + R"(,"progressToken":1.5)",
          R"("io.modelcontextprotocol/protocolVersion":7,)" + std::string(kCapabilities)}) {
        const Climb fell = climb(request("tools/list", meta), &none);
        EXPECT_EQ(fell.code, rpc_code::kInvalidParams) << meta;
        EXPECT_EQ(fell.status, 400) << meta;
    }
}

TEST(HeaderVersion, MustBeThereAndEqualBeforeItIsAskedWhetherWeSpeakIt) {
    const std::string text = request("tools/list", both());
    const http::Headers missing{{"Mcp-Method", "tools/list"}};
    EXPECT_EQ(climb(text, &missing).code, rpc_code::kHeaderMismatch);
    const http::Headers other{{"MCP-Protocol-Version", "2025-11-25"}, {"Mcp-Method", "tools/list"}};
    EXPECT_EQ(climb(text, &other).code, rpc_code::kHeaderMismatch);
    const http::Headers twice{
        {"MCP-Protocol-Version", "2026-07-28"}, {"MCP-Protocol-Version", "2026-07-28"}, {"Mcp-Method", "tools/list"}};
    EXPECT_EQ(climb(text, &twice).code, rpc_code::kHeaderMismatch);
    const http::Headers blanks{{"mcp-protocol-version", " 2026-07-28\t"}, {"mcp-method", " tools/list "}};
    EXPECT_EQ(climb(text, &blanks).code, 0);

    const std::string future = request(
        "tools/list", R"("io.modelcontextprotocol/protocolVersion":"2099-01-01",)" + std::string(kCapabilities));
    EXPECT_EQ(climb(future, &kGood).code, rpc_code::kHeaderMismatch);
    const http::Headers agreed{{"MCP-Protocol-Version", "2099-01-01"}};
    const Climb fell = climb(future, &agreed);
    EXPECT_EQ(fell.code, rpc_code::kUnsupportedVersion);
    EXPECT_THAT(fell.data, ::testing::HasSubstr(R"("requested":"2099-01-01")"));
    EXPECT_THAT(fell.data, ::testing::HasSubstr(R"("2026-07-28")"));
}

TEST(RoutingHeaders, MirrorTheBody) {
    const std::string text = request("tools/call", both(), R"(,"name":"caf\u00e9")");
    const auto with = [&](std::string_view method, std::optional<std::string> name) {
        http::Headers headers{{"MCP-Protocol-Version", "2026-07-28"}, {"Mcp-Method", method}};
        if (name) headers.add("Mcp-Name", *name);
        return climb(text, &headers).code;
    };
    EXPECT_EQ(with("tools/call", encode_header_value("café")), 0);
    EXPECT_EQ(with("tools/call", std::nullopt), rpc_code::kHeaderMismatch);
    EXPECT_EQ(with("tools/call", "cafe"), rpc_code::kHeaderMismatch);
    EXPECT_EQ(with("tools/call", "caf\xc3\xa9"), rpc_code::kHeaderMismatch) << "must have been coded";
    EXPECT_EQ(with("tools/call", "=?base64?Y2Fm?="), rpc_code::kHeaderMismatch);
    EXPECT_EQ(with("tools/call", "=?base64?!!?="), rpc_code::kHeaderMismatch);
    EXPECT_EQ(with("Tools/Call", encode_header_value("café")), rpc_code::kHeaderMismatch);

    const http::Headers no_method{{"MCP-Protocol-Version", "2026-07-28"}};
    EXPECT_EQ(climb(request("tools/list", both()), &no_method).code, rpc_code::kHeaderMismatch);
    const http::Headers task{{"MCP-Protocol-Version", "2026-07-28"}, {"Mcp-Method", "tasks/get"}, {"Mcp-Name", "t1"}};
    EXPECT_EQ(climb(request("tasks/get", both(), R"(,"taskId":"t1")"), &task).code, 0);
    EXPECT_EQ(climb(request("tasks/get", both(), R"(,"taskId":"t2")"), &task).code, rpc_code::kHeaderMismatch);
    const http::Headers read{
        {"MCP-Protocol-Version", "2026-07-28"}, {"Mcp-Method", "resources/read"}, {"Mcp-Name", "a:b"}};
    EXPECT_EQ(climb(request("resources/read", both(), R"(,"uri":"a:b")"), &read).code, 0);
}

TEST(RemovedMethods, AreNotFoundWithModernMetadata) {
    for (const char* method : {"initialize", "ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe",
                               "tasks/list", "tasks/result", "sampling/createMessage", "notifications/progress"}) {
        const http::Headers headers{{"MCP-Protocol-Version", "2026-07-28"}, {"Mcp-Method", method}};
        const Climb fell = climb(request(method, both()), &headers);
        EXPECT_EQ(fell.code, rpc_code::kMethodNotFound) << method;
        EXPECT_EQ(fell.status, 404) << method;
    }
    const http::Headers unknown{{"MCP-Protocol-Version", "2026-07-28"}, {"Mcp-Method", "vendor/thing"}};
    EXPECT_EQ(climb(request("vendor/thing", both()), &unknown).code, 0) << "an extension's, for the backend to say";
}

TEST(OnAPipe, NoHeadersAreAskedFor) {
    EXPECT_EQ(climb(request("tools/call", both(), R"(,"name":"x")")).era, Era::kModern);
}

TEST(Status, FollowsTheEra) {
    EXPECT_EQ(status_of(rpc_code::kMethodNotFound, Era::kModern), 404);
    EXPECT_EQ(status_of(rpc_code::kMethodNotFound, Era::kLegacy), 200);
    EXPECT_EQ(status_of(rpc_code::kMissingCapability, Era::kModern), 400);
    EXPECT_EQ(status_of(0, Era::kModern), 200);
}

TEST(LegacyVersion, MustBeOneThatHasSessions) {
    const auto of = [](std::string_view version) {
        const http::Headers headers{{"MCP-Protocol-Version", version}};
        return legacy_version(RequestHead::of(headers));
    };
    EXPECT_EQ(of("2025-06-18")->value(), Revision::k2025_06_18);
    EXPECT_FALSE(of("bogus"));
    EXPECT_FALSE(of("2026-07-28"));
    EXPECT_FALSE(legacy_version({})->has_value());
}

}  // namespace
}  // namespace gantry::mcp
