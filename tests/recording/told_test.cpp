// Events as their consumers receive them.
#include <gmock/gmock.h>

#include <atomic>
#include <functional>
#include <mutex>

#include "recording/rig.hpp"
#include "support/raw_server.hpp"

namespace gantry::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

RawReply get(const Gateway& gateway, const std::string& path) {
    RawClient client(gateway.port());
    client.send(request("GET", path, "", {{"Accept", "*/*"}}));
    return client.reply();
}

TEST(ToldTest, MetricsCountWhatWasCalled) {
    Gateway gateway("demo_tools: true\nservers:\n  - name: gone\n    command: /nonexistent/server\n");
    RawClient client(gateway.port());
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(echo(client, "x").has_value());
    client.send(request("POST", "/mcp", modern("1", "tools/call", R"("name":"made_up")"),
                        modern_fields("tools/call", "made_up")));
    EXPECT_NE(client.reply().code(), 0);
    const RawReply metrics = get(gateway, "/metrics");
    EXPECT_EQ(metrics.status, 200);
    EXPECT_THAT(metrics.header("Content-Type"), HasSubstr("text/plain; version=0.0.4"));
    EXPECT_THAT(metrics.body,
                HasSubstr(R"(gantry_calls_total{method="tools/call",outcome="ok",source="demo",tool="echo"} 3)"));
    EXPECT_THAT(metrics.body,
                HasSubstr(R"(gantry_calls_total{method="tools/call",outcome="not_found",source="",tool=""} 1)"));
    EXPECT_THAT(metrics.body, HasSubstr(R"(gantry_source_up{source="demo"} 1)"));
    EXPECT_THAT(metrics.body, HasSubstr(R"(gantry_source_up{source="gone"} 0)"));
    EXPECT_THAT(metrics.body, Not(HasSubstr("made_up")));
}

TEST(ToldTest, OneCorrelationIdIsInTheLogAndInTheJournal) {
    const TempDir folder;
    const std::string state = folder.path() + "/state";
    std::string line;
    {
        Gateway gateway("demo_tools: true\nlog: {calls: true}\n", state);
        RawClient client(gateway.port());
        ASSERT_TRUE(echo(client, "x").has_value());
        ASSERT_TRUE(gateway.child().wait_for_output("tools/call"));
        ::kill(gateway.child().pid(), SIGTERM);
        EXPECT_EQ(gateway.child().wait(), 0);
        const std::string& err = gateway.child().err();
        const auto begin = err.rfind('{', err.find("tools/call"));
        line = err.substr(begin, err.find('\n', begin) - begin);
    }
    const auto calls = entries(state, "tool.called");
    ASSERT_EQ(calls.size(), 1u);
    const Json logged = *Json::parse(line);
    EXPECT_EQ(logged.string_at("correlation_id"), calls[0].string_at("correlationid"));
    EXPECT_EQ(calls[0].at_pointer("/data/call_id")->dump(), calls[0].find("correlationid")->dump());
    EXPECT_EQ(calls[0].at_pointer("/data/params"), nullptr) << "no values unless asked for";
}

/// A server whose tool answers with the correlation ids it was sent: in `_meta`, and in the header.
void serve_ids(RawServer&, int socket) {
    for (;;) {
        const std::string request = RawServer::read_request(socket);
        if (request.empty()) return;
        std::string response = handshake_response(request);
        if (response.empty()) {
            const auto body = Json::parse(request.substr(request.find("\r\n\r\n") + 4));
            const Json* id = body ? body->at_pointer("/params/_meta/io.gantry~1correlationId") : nullptr;
            const auto field = request.find("X-Correlation-Id: ");
            std::string result = R"({"tools":[{"name":"ids","inputSchema":{"type":"object"}}]})";
            if (body && body->string_at("method") == "tools/call") {
                const std::string sent =
                    (id == nullptr ? "none" : std::string(*id->if_string())) + " " +
                    (field == std::string::npos ? "none"
                                                : request.substr(field + 18, request.find('\r', field) - field - 18));
                result = Json(JsonObject{{"content", JsonArray{JsonObject{{"type", "text"}, {"text", sent}}}}}).dump();
            }
            response = json_response(R"({"jsonrpc":"2.0","id":)" + id_in(request) + R"(,"result":)" + result + "}");
        }
        RawServer::send(socket, response);
    }
}

TEST(ToldTest, TheServerIsSentTheIdOfTheRecordAndACallersOwnIdIsKept) {
    RawServer server(serve_ids);
    Gateway gateway("servers:\n  - {name: raw, url: \"" + server.url() + "\", transport: http, prefix: none}\n");
    RawClient client(gateway.port());
    const auto call = [&](const Fields& more) {
        client.send(request("POST", "/mcp", modern("1", "tools/call", R"("name":"ids")"),
                            modern_fields("tools/call", "ids") + more));
        return client.reply().text();
    };
    const std::string own = call({});
    const std::string kept = call({{"X-Request-Id", "ticket-7"}});
    EXPECT_EQ(kept, "ticket-7 ticket-7");
    std::vector<Json> calls;
    EXPECT_TRUE(eventually([&] { return (calls = entries(gateway.state(), "tool.called")).size() == 2; }));
    std::multiset<std::string> recorded;
    for (const Json& entry : calls) {
        const std::string id(entry.string_at("correlationid"));
        recorded.insert(id + " " + id);
    }
    EXPECT_EQ(recorded, (std::multiset<std::string>{own, kept}));
}

TEST(ToldTest, EveryPathOfACallLeavesOneRecord) {
    const TempDir folder;
    const std::string state = folder.path() + "/state";
    {
        Gateway gateway("demo_tools: true\n", state);
        RawClient client(gateway.port());
        const auto post = [&](const std::string& params, const std::string& name) {
            client.send(request("POST", "/mcp", modern("1", "tools/call", params), modern_fields("tools/call", name)));
            client.reply();
        };
        post(echo_params("x"), "demo_echo");                                    // answered
        post(R"("name":"nobody_has_this","arguments":{})", "nobody_has_this");  // not found
        post(R"("name":"demo_echo","arguments":{"message":7})", "demo_echo");   // does not fit the schema
        post(R"("name":"demo_echo","arguments":[])", "demo_echo");              // no object
        post(R"("name":"demo_echo","arguments":{"message":"y"},"requestState":"forged")", "demo_echo");
        ::kill(gateway.child().pid(), SIGTERM);
        EXPECT_EQ(gateway.child().wait(), 0);
    }
    std::vector<std::string> outcomes;
    for (const Json& entry : entries(state, "tool.")) {
        const Json& data = *entry.find("data");
        outcomes.push_back(std::string(data.string_at("error", data.string_at("outcome"))));
    }
    EXPECT_THAT(outcomes, ::testing::ElementsAre("ok", "not_found", "schema", "invalid_argument", "invalid_argument"));
}

TEST(ToldTest, StatesOfServersAndChangesOfTheCatalogAreEvents) {
    const TempDir folder;
    const std::string state = folder.path() + "/state";
    {
        Gateway gateway("servers:\n" + everything_server() + "  - name: gone\n    command: /nonexistent/server\n",
                        state);
        EXPECT_TRUE(eventually(
            [&] { return get(gateway, "/metrics").body.contains(R"(gantry_source_up{source="every"} 1)"); }));
        ::kill(gateway.child().pid(), SIGTERM);
        EXPECT_EQ(gateway.child().wait(), 0);
    }
    std::set<std::string> states;
    for (const Json& entry : entries(state, "source.health_changed"))
        states.insert(std::string(entry.string_at("subject")) + " " +
                      std::string(entry.find("data")->string_at("state")));
    EXPECT_THAT(states, ::testing::IsSupersetOf({"every ready", "gone down"}));
    EXPECT_FALSE(entries(state, "source.inventory_ingested").empty());
    const auto catalogs = entries(state, "catalog.changed");
    ASSERT_FALSE(catalogs.empty());
    EXPECT_GT(*catalogs.back().at_pointer("/data/tools")->as_int(), 0);
}

TEST(ToldTest, TheFeedTellsWhatHappensWhileItHappens) {
    Gateway gateway("demo_tools: true\n");
    RawClient reader(gateway.port());
    reader.send(request("GET", "/events?type=tool.*", ""));
    ASSERT_TRUE(reader.see("text/event-stream"));
    ASSERT_TRUE(reader.see(": listening"));
    RawClient client(gateway.port());
    ASSERT_TRUE(echo(client, "x").has_value());
    ASSERT_TRUE(reader.see("event: gantry.tool.called.v1"));
    ASSERT_TRUE(reader.see("demo_echo"));
    // An open feed must not prevent the gateway from ending.
    ::kill(gateway.child().pid(), SIGTERM);
    EXPECT_EQ(gateway.child().wait(std::chrono::seconds(5)), 0);
}

/// A receiver that answers every request as `answer` says and records it.
class Remembering {
public:
    explicit Remembering(std::function<std::string(const std::string&)> answer)
        : answer_(std::move(answer)), server_([this](RawServer&, int socket) { serve(socket); }) {}
    std::string url(const std::string& path) const { return server_.url(path); }
    /// The first request that contains `text`; empty: none did.
    std::string with(std::string_view text) {
        const std::lock_guard guard(mutex_);
        for (const std::string& request : requests_) {
            if (request.contains(text)) return request;
        }
        return {};
    }

private:
    void serve(int socket) {
        for (std::string request = RawServer::read_request(socket); !request.empty();
             request = RawServer::read_request(socket)) {
            {
                const std::lock_guard guard(mutex_);
                requests_.push_back(request);
            }
            RawServer::send(socket, answer_(request));
        }
    }

    std::function<std::string(const std::string&)> answer_;
    std::mutex mutex_;
    std::vector<std::string> requests_;
    RawServer server_;
};

/// A legacy server with one tool.
std::string one_tool(const std::string& request) {
    if (std::string greeting = handshake_response(request); !greeting.empty()) return greeting;
    const std::string head = R"({"jsonrpc":"2.0","id":)" + id_in(request) + R"(,"result":)";
    if (request.contains("tools/list"))
        return json_response(head + R"({"tools":[{"name":"look","inputSchema":{"type":"object"}}]}})");
    return json_response(head + R"({"content":[{"type":"text","text":"seen"}]}})");
}

/// The text between `before` and the next quote or line end.
std::string after(const std::string& text, std::string_view before) {
    const auto at = text.find(before);
    if (at == std::string::npos) return "not there";
    const auto begin = at + before.size();
    return text.substr(begin, text.find_first_of("\"\r\n", begin) - begin);
}

TEST(ToldTest, ACallIsTracedFromItsCallerThroughTheGatewayToTheServer) {
    Remembering collector([](const std::string&) { return json_response("{}"); });
    Remembering upstream(one_tool);
    const TempDir folder;
    const std::string state = folder.path() + "/state";
    {
        Gateway gateway("servers:\n  - name: up\n    url: " + upstream.url("/mcp") + "\ntraces: {url: \"" +
                            collector.url("/v1/traces") + "\"}\n",
                        state);
        RawClient client(gateway.port());
        client.send(request("POST", "/mcp", modern("1", "tools/call", R"("name":"up_look","arguments":{})"),
                            modern_fields("tools/call", "up_look") +
                                Fields{{"traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"},
                                       {"tracestate", "vendor=1"}}));
        EXPECT_EQ(client.reply().text(), "seen");
        ::kill(gateway.child().pid(), SIGTERM);
        EXPECT_EQ(gateway.child().wait(), 0);
    }
    const std::string call = upstream.with("tools/call");
    const std::string in_header = after(call, "traceparent: ");
    EXPECT_EQ(in_header, after(call, R"("traceparent":")"));
    EXPECT_EQ(in_header.substr(0, 36), "00-4bf92f3577b34da6a3ce929d0e0e4736-");
    EXPECT_EQ(after(call, "tracestate: "), "vendor=1");
    const std::string exported = collector.with("resourceSpans");
    EXPECT_EQ(after(exported, R"("traceId":")"), "4bf92f3577b34da6a3ce929d0e0e4736");
    EXPECT_EQ(after(exported, R"("parentSpanId":")"), "00f067aa0ba902b7");
    EXPECT_EQ(after(exported, R"("spanId":")"), in_header.substr(36, 16)) << "the server's caller is this call";
    const auto calls = entries(state, "tool.called");
    ASSERT_EQ(calls.size(), 1u);
    EXPECT_EQ(calls[0].at_pointer("/data/trace_id")->dump(), R"("4bf92f3577b34da6a3ce929d0e0e4736")");
}

TEST(ToldTest, ABreakerThatOpensIsAnEvent) {
    Remembering upstream([](const std::string& request) {
        if (request.contains("tools/call")) return std::string("HTTP/1.1 500 Oh No\r\nContent-Length: 0\r\n\r\n");
        return one_tool(request);
    });
    const TempDir folder;
    const std::string state = folder.path() + "/state";
    {
        Gateway gateway("servers:\n  - name: up\n    url: " + upstream.url("/mcp") +
                            "\n    breaker: {threshold: 2, recovery: 1h}\n    retries: {attempts: 1}\n",
                        state);
        RawClient client(gateway.port());
        for (int i = 0; i < 3; ++i) {
            client.send(request("POST", "/mcp", modern("1", "tools/call", R"("name":"up_look","arguments":{})"),
                                modern_fields("tools/call", "up_look")));
            EXPECT_NE(client.reply().code(), 0);
        }
        ::kill(gateway.child().pid(), SIGTERM);
        EXPECT_EQ(gateway.child().wait(), 0);
    }
    const auto opened = entries(state, "circuit_breaker.opened");
    ASSERT_EQ(opened.size(), 1u);
    EXPECT_EQ(opened[0].string_at("subject"), "up");
    EXPECT_EQ(opened[0].at_pointer("/data/failures")->as_int(), 2);
    EXPECT_EQ(entries(state, "tool.failed").size(), 3u) << "the refusal is an outcome too";
}

TEST(ToldTest, WhatAWebhookDidNotTakeIsListedAndDeliveredAfterAll) {
    std::atomic<bool> away = true;
    Remembering receiver([&](const std::string&) {
        return away ? "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n" : json_response("{}");
    });
    Gateway gateway("demo_tools: true\nwebhooks:\n  - {name: pager, url: \"" + receiver.url("/hook") +
                    "\", secret: a secret of enough length, events: [tool.called], max_attempts: 1, first_retry: 1h, "
                    "allow_private: true}\n");
    const auto events = [&](std::vector<std::string> words) {
        words.insert(words.begin(), {gantry_program(), "events", "--state-dir", gateway.state()});
        return run(std::move(words));
    };
    EXPECT_THAT(events({"--dead"}).out, HasSubstr("no failed deliveries"));
    RawClient client(gateway.port());
    ASSERT_TRUE(echo(client, "x").has_value());
    Json dead;
    ASSERT_TRUE(eventually([&] {
        const auto answer = Json::parse(events({"--dead", "--json"}).out);
        if (!answer || *answer->find("count") != Json(1)) return false;
        dead = *answer->at_pointer("/dead_letters/0");
        return true;
    }));
    const std::string id(dead.string_at("id"));
    EXPECT_EQ(dead.string_at("webhook"), "pager");
    EXPECT_EQ(dead.string_at("type"), "gantry.tool.called.v1");
    EXPECT_EQ(dead.string_at("error"), "answered 503");
    EXPECT_EQ(*dead.find("attempts"), Json(1));
    EXPECT_THAT(events({"--dead"}).out, HasSubstr(id));
    EXPECT_THAT(events({"--revive", "nothing-1"}).err, HasSubstr("no dead letter"));
    EXPECT_THAT(events({"--revive", "all", "--webhook", "nobody"}).err, HasSubstr("no webhook 'nobody'"));
    away = false;
    EXPECT_THAT(events({"--revive", id, "--webhook", "pager"}).out, HasSubstr("1 deliveries are tried again"));
    EXPECT_TRUE(
        eventually([&] { return get(gateway, "/metrics").body.contains("gantry_webhook_deliveries_total 1"); }));
    EXPECT_THAT(events({"--dead"}).out, HasSubstr("no failed deliveries"));
}

TEST(ToldTest, ToolsThatWereInvokedAreToldUnderTheNamesOfAgentRuntimes) {
    Remembering receiver([](const std::string&) { return json_response("{}"); });
    RawServer server(serve_ids);
    Gateway gateway(
        "demo_tools: true\nservers:\n  - {name: raw, url: \"" + server.url() +
        "\", transport: http}\naudit: {arguments: values, results: values}\nwebhooks:\n" +
        "  - {name: runtime, url: \"" + receiver.url("/hook") +
        "\", secret: a secret of enough length, names: mcp, events: [\"mcp.tool_*\"], allow_private: true}\n");
    RawClient client(gateway.port());
    ASSERT_TRUE(echo(client, "x").has_value());
    for (const std::string name : {"raw_ids", "raw_missing"}) {
        client.send(request("POST", "/mcp", modern("1", "tools/call", R"("name":")" + name + "\""),
                            modern_fields("tools/call", name)));
        EXPECT_TRUE(client.reply().whole);
    }
    const auto told = [&](const std::string& tool) {
        std::string request;
        EXPECT_TRUE(eventually([&] { return !(request = receiver.with(R"("tool_name":")" + tool + "\"")).empty(); }));
        const auto event = Json::parse(request.substr(request.find("\r\n\r\n") + 4));
        EXPECT_TRUE(event) << request;
        return event ? *event : Json(JsonObject());
    };
    const Json native = told("demo_echo");
    EXPECT_EQ(native.string_at("type"), "mcp.tool_called");
    EXPECT_EQ(native.at_pointer("/data/params")->dump(), R"({"message":"x"})");
    EXPECT_EQ(native.at_pointer("/data/result/content/0/text")->dump(), R"("x")");
    EXPECT_EQ(native.at_pointer("/data/source")->dump(), R"("native")");
    EXPECT_TRUE(native.at_pointer("/data/mcp_server")->is_null());
    const Json remote = told("raw_ids");
    EXPECT_EQ(remote.string_at("type"), "mcp.tool_called");
    EXPECT_TRUE(remote.at_pointer("/data/params")->is_null());
    EXPECT_NE(remote.at_pointer("/data/result/content/0/text"), nullptr);
    EXPECT_EQ(remote.at_pointer("/data/source")->dump(), R"("mcp")");
    EXPECT_EQ(remote.at_pointer("/data/mcp_server")->dump(), R"("raw")");
    const Json missing = told("raw_missing");
    EXPECT_EQ(missing.string_at("type"), "mcp.tool_failed");
    EXPECT_TRUE(missing.at_pointer("/data/result")->is_null());
    EXPECT_EQ(entries(gateway.state(), "tool.called").size(), 2u) << "the journal keeps its own names";
}

/// Requests a reload; returns the output.
std::string reload(const Gateway& gateway) {
    const Ran ran = run({gantry_program(), "reload", "--state-dir", gateway.state()});
    return ran.out + ran.err;
}

TEST(ToldTest, WhoIsToldAndWhatIsRecordedIsTakenOverWhileCallsGoOn) {
    Remembering first([](const std::string&) { return json_response("{}"); });
    Remembering second([](const std::string&) { return json_response("{}"); });
    Remembering collector([](const std::string&) { return json_response("{}"); });
    const auto hook = [](const std::string& name, const Remembering& to) {
        return "  - {name: " + name + ", url: \"" + to.url("/hook") +
               "\", secret: a secret of enough length, events: [tool.called], allow_private: true}\n";
    };
    const std::string common = "demo_tools: true\n";
    Gateway gateway(common + "metrics: {enabled: false}\nfeed: {enabled: false}\nwebhooks:\n" + hook("first", first),
                    {}, {"--no-watch"});
    RawClient client(gateway.port());
    ASSERT_TRUE(echo(client, "one").has_value());
    ASSERT_TRUE(eventually([&] { return !first.with("demo_echo").empty(); }));
    EXPECT_EQ(get(gateway, "/metrics").status, 404);
    EXPECT_EQ(get(gateway, "/events").status, 404);

    gateway.rewrite(common + "webhooks:\n" + hook("second", second) + "traces: {url: \"" + collector.url("/v1/traces") +
                    "\"}\naudit: {arguments: values}\nlog: {calls: true}\n");
    const std::string told = reload(gateway);
    EXPECT_THAT(told, HasSubstr("settings: "));
    for (const char* key : {"audit.arguments", "webhooks", "feed", "metrics", "traces", "log"})
        EXPECT_THAT(told, HasSubstr(key));
    EXPECT_THAT(told, Not(HasSubstr("next start")));
    RawClient reader(gateway.port());
    reader.send(request("GET", "/events?type=tool.*", ""));
    ASSERT_TRUE(reader.see(": listening"));
    ASSERT_TRUE(echo(client, "two").has_value());
    ASSERT_TRUE(reader.see("demo_echo")) << "the feed";
    ASSERT_TRUE(eventually([&] { return !second.with(R"("message":"two")").empty(); })) << "webhook and values";
    EXPECT_TRUE(first.with(R"("message":"two")").empty()) << "the old webhook is told nothing any more";
    EXPECT_TRUE(eventually([&] { return !collector.with("resourceSpans").empty(); })) << "traces";
    EXPECT_THAT(get(gateway, "/metrics").body, HasSubstr("gantry_calls_total"));
    EXPECT_THAT(get(gateway, "/metrics").body, HasSubstr("gantry_webhook_deliveries_total 2")) << "both of them";
    EXPECT_TRUE(gateway.child().wait_for_output("tools/call")) << "a line for the call";

    gateway.rewrite(common + "webhooks:\n  - {name: second, url: \"" + second.url("/hook") + "\", secret: short}\n");
    EXPECT_THAT(reload(gateway), HasSubstr("webhook second")) << "what is wrong with it";
    ASSERT_TRUE(echo(client, "three").has_value());
    EXPECT_TRUE(eventually([&] { return !second.with(R"("message":"three")").empty(); }))
        << "what was in force before still is";

    gateway.rewrite(common + "feed: {enabled: false}\n");
    EXPECT_THAT(reload(gateway), HasSubstr("configuration reloaded"));
    EXPECT_TRUE(reader.see("0\r\n\r\n")) << "readers are let go";
    EXPECT_EQ(get(gateway, "/events").status, 404);
}

TEST(ToldTest, HowTheJournalIsWrittenIsTakenOverWhileCallsGoOn) {
    const std::string common = "demo_tools: true\naudit: {arguments: values, gather: 1h";
    Gateway gateway(common + "}\n", {}, {"--no-watch"});
    RawClient client(gateway.port());
    ASSERT_TRUE(echo(client, "gathered").has_value());
    ASSERT_TRUE(echo(client, "for an hour").has_value());
    gateway.rewrite(common + ", mode: before-answer, on_failure: refuse}\n");
    const std::string told = reload(gateway);
    EXPECT_THAT(told, AllOf(HasSubstr("audit.mode"), HasSubstr("audit.on_failure"), Not(HasSubstr("next start"))));
    ASSERT_TRUE(echo(client, "on disk before it is answered").has_value());
    EXPECT_EQ(recorded_messages(gateway.state()).size(), 3u);

    gateway.rewrite("demo_tools: true\naudit: {mode: \"off\", arguments: values, gather: 5ms}\n");
    EXPECT_THAT(reload(gateway), AllOf(HasSubstr("audit.gather"), HasSubstr("next start: audit.mode")));
    ASSERT_TRUE(echo(client, "as before").has_value());
    EXPECT_EQ(recorded_messages(gateway.state()).size(), 4u);
}

TEST(ToldTest, AWebhookIsToldAtLastAlsoWhenTheGatewayWasKilledBefore) {
    std::atomic<bool> away = true;
    Remembering receiver([&](const std::string&) {
        return away ? "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n" : json_response("{}");
    });
    const TempDir folder;
    const std::string state = folder.path() + "/state";
    const std::string config = "demo_tools: true\naudit: {mode: before-answer}\nwebhooks:\n  - {name: pager, url: \"" +
                               receiver.url("/hook") +
                               "\", secret: a secret of enough length, events: [tool.called], first_retry: 100ms, "
                               "allow_private: true}\n";
    {
        Gateway gateway(config, state);
        RawClient client(gateway.port());
        ASSERT_TRUE(echo(client, "x").has_value());
        ASSERT_TRUE(gateway.child().wait_for_output("webhook pager: answered 503"));
        ::kill(gateway.child().pid(), SIGKILL);
    }
    away = false;
    Gateway gateway(config, state);
    EXPECT_TRUE(eventually([&] {
        const RawReply metrics = get(gateway, "/metrics");
        return metrics.body.contains("gantry_webhook_deliveries_total 1");
    }));
    const std::string told = receiver.with("webhook-signature: v1,");
    EXPECT_THAT(told, HasSubstr("application/cloudevents+json"));
    EXPECT_THAT(told, HasSubstr(R"("type":"gantry.tool.called.v1")"));
    EXPECT_EQ(verify(state).code, 0) << "deliveries change no entry";
}

}  // namespace
}  // namespace gantry::testing
