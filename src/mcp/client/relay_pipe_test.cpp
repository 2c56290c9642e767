// Relayed requests over shared connections: pipes and HTTP+SSE.

#include "base/try.hpp"
#include "io/scope.hpp"
#include "mcp/client/test_relay.hpp"
#include "mcp/client/test_server.hpp"
#include "mcp/transport/stdio.hpp"

namespace gantry::mcp {
namespace {

using namespace testing;

constexpr Revision kLegacy = Revision::k2025_11_25;
constexpr Revision kModern = Revision::k2026_07_28;

// --- a scripted child ------------------------------------------------------------------------------------------------

/// A legacy server that expects our requests to be numbered from 1: initialize, then the script.
constexpr const char* kHandshake =
    R"(read init; echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},)"
    R"("serverInfo":{"name":"s","version":"1"}}}'; read ready; )";

using ChildBody = Task<void> (*)(Client& client, std::vector<std::string>& oddities);

Task<void> with_child(StdioConfig config, ChildBody body) {
    std::vector<std::string> oddities;
    ClientSettings settings;
    settings.era = EraChoice::kLegacy;
    settings.handlers.on_oddity = [&oddities](const Error& error) { oddities.push_back(error.to_string()); };
    Client client(Route{.transport = std::make_unique<StdioTransport>(std::move(config))}, std::move(settings));
    if (auto made = co_await client.connect(watchdog()); made) {
        EXPECT_EQ(client.session()->wire(), Wire::kPipe);
        co_await body(client, oddities);
    } else {
        ADD_FAILURE() << made.error().to_string();
    }
    co_await client.close();
}

void run_child(const std::string& script, ChildBody body, std::size_t max_line_bytes = 64u << 20) {
    StdioConfig config{.command = "sh", .args = {"-c", kHandshake + script + "; cat >/dev/null"}};
    config.max_line_bytes = max_line_bytes;
    Loop().run_until_done(with_child(std::move(config), body));
}

/// A line of JSON with that many letters in the middle.
std::string around(const std::string& before, std::size_t letters, const std::string& behind) {
    return "printf '%s' '" + before + "'; head -c " + std::to_string(letters) +
           " /dev/zero | tr '\\0' x; printf '%s\\n' '" + behind + "'; ";
}

constexpr const char* kThen = R"(read more; echo '{"jsonrpc":"2.0","id":3,"result":{"still":"here"}}')";

Task<void> still_there(Client& client) {
    const ClientRequest client_request("tools/call", R"({"name":"b"})");
    const auto answer = co_await client.relay(watchdog(), client_request.request, false);
    CO_ASSERT(answer);
    EXPECT_EQ(answer->message.view().result.raw(), R"({"still":"here"})");
}

Task<Result<RelayAnswer>> relay_small(Client& client, std::size_t hold) {
    ClientRequest client_request("tools/call", "{\"name\":\n\"a\"}");
    client_request.request.hold_bytes = hold;
    co_return co_await client.relay(watchdog(), client_request.request, false);
}

TEST(RelayPipe, AnAnswerComesBackAsItCameAndARequestStaysOneLine) {
    run_child(R"(read call; test "$call" = '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name": "a"}}' &&
                 echo '{"jsonrpc":"2.0","id":2,"result":{ "n":1e400,"s":"\u0041" }}'; )" +
                  std::string(kThen),
              [](Client& client, std::vector<std::string>& oddities) -> Task<void> {
                  const auto answer = co_await relay_small(client, 1u << 20);
                  CO_ASSERT(answer);
                  EXPECT_EQ(answer->message.view().result.raw(), R"({ "n":1e400,"s":"\u0041" })");
                  co_await still_there(client);
                  EXPECT_TRUE(oddities.empty());
              });
}

TEST(RelayPipe, AHugeAnswerIsSpooledAndStreamedAlsoWhenItsIdComesLast) {
    run_child("read call; " + around(R"({"result":{"t":")", 5'000'000, R"("},"jsonrpc":"2.0","id":2})") + kThen,
              [](Client& client, std::vector<std::string>&) -> Task<void> {
                  auto answer = co_await relay_small(client, 64u << 10);
                  CO_ASSERT(answer && answer->stream);
                  co_await still_there(client);  // not blocked by the reader of the file
                  const auto whole = co_await drain(*answer->stream);
                  CO_ASSERT(whole);
                  EXPECT_EQ(*whole, R"({"t":")" + std::string(5'000'000, 'x') + "\"}");
              });
}

TEST(RelayPipe, ALineBeyondTheLimitCostsOneAnswerAndNotTheConnection) {
    run_child(
        "read call; " + around(R"({"result":{"t":")", 5'000'000, R"("},"jsonrpc":"2.0","id":2})") + kThen,
        [](Client& client, std::vector<std::string>&) -> Task<void> {
            const auto answer = co_await relay_small(client, 64u << 10);
            CO_ASSERT(!answer);
            EXPECT_EQ(answer.error().code(), ErrorCode::kLimit);
            co_await still_there(client);
        },
        1u << 20);
}

TEST(RelayPipe, AHugeAnswerThatIsNoJsonFailsItsRequestAlone) {
    run_child("read call; " + around(R"({"jsonrpc":"2.0","id":2,"result":{"t":")", 2'000'000, R"(",}})") + kThen,
              [](Client& client, std::vector<std::string>&) -> Task<void> {
                  const auto answer = co_await relay_small(client, 64u << 10);
                  CO_ASSERT(!answer);
                  EXPECT_EQ(answer.error().code(), ErrorCode::kParse);
                  co_await still_there(client);
              });
}

TEST(RelayPipe, AHugeAnswerThatIsNoJsonNeedNotNameTheOnlyRequestThereIs) {
    run_child("read call; " + around(R"({"result":{"t":")", 2'000'000, R"(",},"jsonrpc":"2.0","id":2})") + kThen,
              [](Client& client, std::vector<std::string>&) -> Task<void> {
                  const auto answer = co_await relay_small(client, 64u << 10);
                  CO_ASSERT(!answer);
                  EXPECT_EQ(answer.error().code(), ErrorCode::kParse);
                  co_await still_there(client);
              });
}

TEST(RelayPipe, NoiseHoweverLongIsPassedOver) {
    run_child("read call; " + around("noise ", 1'000'000, "") + "echo short noise; " +
                  around(R"({"jsonrpc":"2.0","method":"notifications/x","params":{"t":")", 1'000'000, "\"}}") +
                  R"(echo '{"jsonrpc":"2.0","id":2,"result":{}}'; )" + kThen,
              [](Client& client, std::vector<std::string>& oddities) -> Task<void> {
                  const auto answer = co_await relay_small(client, 64u << 10);
                  EXPECT_TRUE(answer);
                  EXPECT_EQ(oddities.size(), 2u);
                  co_await still_there(client);
              });
}

TEST(RelayPipe, TheOwnCallsOfTheClientGetTreesOfWhateverSize) {
    run_child(R"(read call; echo '{"jsonrpc":"2.0","id":2,"result":{}}'; read more; )" +
                  around(R"({"jsonrpc":"2.0","id":3,"result":{"t":")", 300'000, "\"}}") + "true",
              [](Client& client, std::vector<std::string>&) -> Task<void> {
                  CO_ASSERT(co_await relay_small(client, 64u << 10));
                  const auto answer = co_await client.request(watchdog(), {.method = "x/y"}, false);
                  CO_ASSERT(answer);
                  EXPECT_EQ(answer->string_at("t").size(), 300'000u);
              });
}

// --- a server in memory ----------------------------------------------------------------------------------------------

struct Relayed {
    explicit Relayed(std::string name) : client_request("tools/call", R"({"name":")" + name + "\"}") {}
    ClientRequest client_request;
    std::optional<Result<RelayAnswer>> result;
    std::vector<std::string> heard;
    CancelSource stop;
};

Task<void> relay_beside(Rig& rig, std::shared_ptr<Relayed> relayed) {
    relayed->result =
        co_await rig.client->relay(watchdog().stopped_by(relayed->stop), relayed->client_request.request, false);
    rig.server.wake();
}

Task<Result<std::string>> agree(std::string who) {
    co_return R"({"action":"accept","content":{"who":")" + who + "\"}}";
}

std::shared_ptr<Relayed> listening(Rig& rig, const std::string& name, bool askable) {
    auto relayed = std::make_shared<Relayed>(name);
    RelayRequest& request = relayed->client_request.request;
    request.wants_progress = true;
    request.hooks.on_progress = [&rig, relayed = relayed.get()](std::string_view params, const json::ParamsView&) {
        relayed->heard.emplace_back(params);
        rig.server.wake();
    };
    if (!askable) return relayed;
    request.hooks.on_log = [&rig, relayed = relayed.get()](LogLevel, std::string_view params) {
        relayed->heard.emplace_back(params);
        rig.server.wake();
    };
    request.hooks.on_request = [name](const Context&, std::string, std::string) { return agree(name); };
    return relayed;
}

Json log_of(const char* text) {
    return JsonObject{{"level", "info"}, {"data", text}};
}

Task<void> attribution(Rig& rig) {
    rig.server.ignore("tools/call");
    Scope scope(watchdog());
    auto deaf = listening(rig, "deaf", false);
    auto first = listening(rig, "first", true);
    scope.spawn(relay_beside(rig, deaf));
    scope.spawn(relay_beside(rig, first));
    const Heard one = co_await rig.server.nth("tools/call", 0);
    const Heard two = co_await rig.server.nth("tools/call", 1);

    const auto asked = co_await rig.server.ask("elicitation/create", JsonObject{{"message", "?"}});
    CO_ASSERT(asked);
    EXPECT_EQ(asked->at_pointer("/content/who")->dump(), "\"first\"");
    co_await rig.server.notify("notifications/progress",
                               JsonObject{{"progressToken", to_json(*one.id)}, {"progress", 1}});
    co_await rig.server.notify("notifications/progress",
                               JsonObject{{"progressToken", to_json(*two.id)}, {"progress", 2}});
    co_await rig.server.notify("notifications/message", log_of("for first"));
    CO_ASSERT(co_await rig.server.until([&] { return deaf->heard.size() == 1 && first->heard.size() == 2; }));

    auto second = listening(rig, "second", true);
    scope.spawn(relay_beside(rig, second));
    const Heard three = co_await rig.server.nth("tools/call", 2);
    const auto refused = co_await rig.server.ask("roots/list");
    CO_ASSERT(!refused);
    EXPECT_EQ(refused.error().code, -32601);
    co_await rig.server.notify("notifications/message", log_of("for nobody"));

    co_await rig.server.answer(*three.id, said("3"));
    co_await rig.server.answer(*two.id, said("2"));
    co_await rig.server.answer(*one.id, said("1"));
    co_await scope.join();
    CO_ASSERT(*deaf->result && *first->result && *second->result);
    EXPECT_EQ((*first->result)->message.view().result.raw(), said("2").dump());
    EXPECT_EQ(first->heard.size(), 2u);
    EXPECT_TRUE(second->heard.empty());
}
TEST(RelayPipe, WhatNamesNobodyGoesToTheOnlyOneItCanBeFor) {
    run(kLegacy, attribution);
}

Task<void> cancelled(Rig& rig) {
    rig.server.ignore("tools/call");
    Scope scope(watchdog());
    auto call = std::make_shared<Relayed>("a");
    scope.spawn(relay_beside(rig, call));
    const Heard heard = co_await rig.server.nth("tools/call");
    call->stop.cancel();
    co_await scope.join();
    CO_ASSERT(!*call->result);
    EXPECT_EQ(call->result->error().code(), ErrorCode::kCancelled);
    const Heard told = co_await rig.server.nth("notifications/cancelled");
    EXPECT_EQ(*told.params.find("requestId"), to_json(*heard.id));
}
TEST(RelayPipe, GivingUpIsToldInBothEras) {
    run(kLegacy, cancelled);
    run(kModern, cancelled);
}

Task<void> died(Rig& rig) {
    rig.server.die_on("tools/call");
    const ClientRequest client_request("tools/call", R"({"name":"a"})");
    const auto lost = co_await rig.client->relay(watchdog(), client_request.request, false);
    CO_ASSERT(!lost);
    EXPECT_EQ(lost.error().code(), ErrorCode::kOutcomeUnknown);
    EXPECT_EQ(rig.server.count("tools/call"), 1u);
    rig.server.reply("tools/call", said("alive"));
    const auto answer = co_await rig.client->relay(watchdog(), client_request.request, false);
    CO_ASSERT(answer);
    EXPECT_EQ(answer->message.view().result.raw(), said("alive").dump());
}
TEST(RelayPipe, ADeadServerLeavesTheOutcomeOpenAndTheNextRequestFindsANewOne) {
    run(kLegacy, died);
    run(kModern, died);
}

Task<void> refused(Rig& rig) {
    rig.server.reply_error("tools/call", -32602, "Unknown tool", R"({"a":1})");
    const ClientRequest client_request("tools/call", R"({"name":"a"})");
    const auto answer = co_await rig.client->relay(watchdog(), client_request.request, false);
    CO_ASSERT(!answer && answer.error().rpc());
    EXPECT_EQ(answer.error().code(), ErrorCode::kRpc);
    EXPECT_EQ(answer.error().rpc()->data, R"({"a":1})");
    EXPECT_EQ(rig.server.count("tools/call"), 1u);
}
TEST(RelayPipe, AnErrorOfTheServerIsItsOwn) {
    run(kModern, refused);
}

// --- HTTP+SSE --------------------------------------------------------------------------------------------------------

/// Answers POSTs on the GET stream; the note holds what has not been sent there yet.
Task<void> classic(HttpRig& rig, const Context& ctx, http::Exchange& exchange, const Seen& seen) {
    if (seen.method == "POST") {
        if (seen.rpc_method() == "initialize") {
            rig.note = result_for(
                seen, R"({"protocolVersion":"2024-11-05","capabilities":{},"serverInfo":{"name":"s","version":"1"}})");
        } else if (seen.rpc_method() == "tools/call") {
            const auto size = static_cast<std::size_t>(rig.step);
            rig.note = result_for(seen, R"({ "n":1e400, "text":")" + std::string(size, 'x') + "\"}");
        }
        (void)co_await exchange.respond(ctx, 202, {}, "");
        co_return;
    }
    co_await start_events(ctx, exchange);
    (void)co_await exchange.write(ctx, "event: endpoint\ndata: /messages\n\n");
    for (;;) {
        while (rig.note.empty()) {
            if (!co_await rig.changed.wait(ctx)) co_return;
        }
        co_await say_event(ctx, exchange, std::exchange(rig.note, ""));
    }
}

/// The result, whatever its size, as "held …" or "spooled …".
Task<std::string> relayed_text(Client& client) {
    auto answer = co_await relay_small(client, 64u << 10);
    if (!answer) co_return answer.error().to_string();
    if (!answer->stream) co_return "held " + std::string(answer->message.view().result.raw());
    const auto whole = co_await drain(*answer->stream);
    co_return whole ? "spooled " + *whole : whole.error().to_string();
}

TEST(RelayPipe, HttpWithOneEventStreamIsRelayedToo) {
    run_rig(
        classic,
        [](HttpRig& http) -> Task<void> {
            HttpSseConfig config;
            config.http.url = http.url("/sse");
            config.http.client = &http.client;
            config.http.max_event_bytes = 1u << 20;
            ClientSettings settings;
            settings.era = EraChoice::kLegacy;
            Client client(
                Route{.transport = std::make_unique<HttpSseTransport>(std::move(config)), .wire = Wire::kHttp},
                std::move(settings));
            if (co_await client.connect(watchdog())) {
                EXPECT_EQ(client.session()->wire(), Wire::kHttpSse);
                // The third is too large and does not affect the others.
                for (const int size : {100, 300'000, 2'000'000, 100, 300'000}) {
                    http.step = size;
                    const std::string result =
                        R"({ "n":1e400, "text":")" + std::string(static_cast<std::size_t>(size), 'x') + "\"}";
                    const std::string got = co_await relayed_text(client);
                    if (size < 1'000'000) {
                        EXPECT_EQ(got, (size > 100 ? "spooled " : "held ") + result) << size;
                    } else {
                        EXPECT_TRUE(got.contains("the server's result is larger than")) << got.substr(0, 200);
                    }
                }
            } else {
                ADD_FAILURE() << "no connection";
            }
            co_await client.close();
        },
        false);
}

}  // namespace
}  // namespace gantry::mcp
