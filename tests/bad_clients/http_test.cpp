// HTTP as no correct client would speak it, and corner cases that correct ones do use.
#include <algorithm>

#include "bad_clients/rig.hpp"
#include "io/http/smuggling_cases.hpp"

namespace gantry::testing {
namespace {

using ::testing::HasSubstr;

class HttpShapesTest : public BadClientTest {
protected:
    static std::string echo(const std::string& id, const std::string& message, const Fields& more = {}) {
        return request("POST", "/mcp", modern(id, "tools/call", echo_params(message)),
                       modern_fields("tools/call", "demo_echo") + more);
    }
};

/// A request that must never be answered, placed after one that is refused.
std::string smuggled() {
    return "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\nX-Smuggled: yes\r\n\r\n";
}

TEST_F(HttpShapesTest, FormsThatTwoParsersReadDifferentlyAreRefusedAndTheConnectionEnds) {
    for (const auto& form : http::kSmugglingCases) {
        RawClient client = connect();
        client.send(std::string(form.request) + smuggled());
        client.finish();
        EXPECT_EQ(client.reply().status, form.status) << form.name;
        EXPECT_EQ(client.rest(), "") << form.name << ": something behind it was answered";
    }
    for (const std::string_view chunks : http::kBadChunks) {
        RawClient client = connect();
        client.send(request("POST", "/mcp", "", {{"Content-Length", ""}, {"Transfer-Encoding", "chunked"}}));
        client.send(std::string(chunks) + smuggled());
        client.finish();
        const RawReply reply = client.reply();
        // A body that ends early means that the client has gone, and gets no answer.
        EXPECT_TRUE(reply.status == 400 || reply.status == 0) << chunks << reply.status;
        EXPECT_EQ(client.rest(), "") << chunks;
    }
}

TEST_F(HttpShapesTest, TheLengthDecidesWhereARequestEnds) {
    // Bytes after the declared length are the next request, whatever they look like.
    RawClient client = connect();
    client.send(echo("1", "first") + "{}" + echo("2", "second"));
    EXPECT_EQ(client.reply().text(), "first");
    EXPECT_EQ(client.reply().status, 400);
    EXPECT_EQ(client.rest(), "");
}

TEST_F(HttpShapesTest, PipelinedRequestsAreAnsweredInTurn) {
    RawClient client = connect();
    std::string bytes;
    for (int i = 0; i < 200; ++i) bytes += echo(std::to_string(i), "message " + std::to_string(i));
    client.send(bytes);
    for (int i = 0; i < 200; ++i) {
        const RawReply reply = client.reply();
        ASSERT_EQ(reply.id(), std::to_string(i));
        ASSERT_EQ(reply.text(), "message " + std::to_string(i));
    }
}

TEST_F(HttpShapesTest, OtherMethodsAreToldWhatIsPossible) {
    for (const char* method : {"PUT", "PATCH", "TRACE", "FOO", "HEAD", "PROPFIND"}) {
        RawClient client = connect();
        client.send(request(method, "/mcp", ""));
        const RawReply reply = client.reply(std::string_view(method) == "HEAD");
        EXPECT_EQ(reply.status, 405) << method;
        EXPECT_EQ(reply.header("allow"), "POST, GET, DELETE, OPTIONS") << method;
    }
    EXPECT_EQ(say(request("OPTIONS", "/mcp", "", {{"Origin", "http://localhost:1"}})).status, 204);
    EXPECT_EQ(say(request("GET", "/mcp", "")).status, 400) << "no session";
    EXPECT_EQ(say(request("GET", "/mcp", "", {{"Accept", "application/json"}})).status, 406);
    EXPECT_EQ(say(request("DELETE", "/mcp", "")).status, 400) << "no session";
    for (const char* path : {"/", "/mcpx", "/mcp/servers/none", "/mcp/servers/../tools", "/%6dcp", "//mcp"})
        EXPECT_EQ(post("{}", {}, path).status, 404) << path;
}

TEST_F(HttpShapesTest, OldClientsAreServedAndSeeTheEndOfTheConnection) {
    std::string bytes = echo("1", "old");
    bytes.replace(bytes.find("HTTP/1.1"), 8, "HTTP/1.0");
    RawClient client = connect();
    client.send(bytes);
    EXPECT_EQ(client.reply().text(), "old");
    EXPECT_EQ(client.rest(), "");
    // A stream has no length, and this client does not support chunks: the stream ends with the connection.
    std::string listen = request("POST", "/mcp", modern("2", "subscriptions/listen", R"("notifications":{})"),
                                 modern_fields("subscriptions/listen"));
    listen.replace(listen.find("HTTP/1.1"), 8, "HTTP/1.0");
    RawClient listener = connect();
    listener.send(listen);
    ASSERT_TRUE(listener.see("acknowledged"));
    EXPECT_EQ(listener.seen().find("chunked"), std::string::npos);
}

TEST_F(HttpShapesTest, WhoeverExpectsAContinueGetsOne) {
    const std::string body = modern("1", "tools/call", echo_params("continued"));
    const std::string bytes =
        request("POST", "/mcp", body, modern_fields("tools/call", "demo_echo") + Fields{{"Expect", "100-continue"}});
    RawClient client = connect();
    client.send(bytes.substr(0, bytes.size() - body.size()));
    ASSERT_TRUE(client.see("HTTP/1.1 100 Continue\r\n\r\n"));
    client.send(body);
    EXPECT_EQ(client.reply().text(), "continued");
    // A request refused because of its head is not asked for its body.
    RawClient stranger = connect();
    stranger.send(
        request("POST", "/mcp", "", {{"Content-Length", "100"}, {"Expect", "100-continue"}, {"Host", "evil"}}));
    ASSERT_TRUE(stranger.see("\r\n\r\n"));
    EXPECT_THAT(stranger.seen(), HasSubstr("403"));
}

TEST_F(HttpShapesTest, HeadsTooLongOrWithTooManyFieldsAreRefused) {
    EXPECT_EQ(say(request("POST", "/mcp", "{}", {{"X-Long", std::string(70'000, 'x')}})).status, 431);
    EXPECT_EQ(say(request("GET", "/" + std::string(70'000, 'x'), "")).status, 431);
    Fields many;
    for (int i = 0; i < 100; ++i) many.emplace_back("X-" + std::to_string(i), "y");
    EXPECT_EQ(say(request("POST", "/mcp", "{}", many)).status, 431);
    RawClient endless = connect();
    endless.send("POST /mcp HTTP/1.1\r\n");
    while (!endless.said_something() && endless.send("X-Endless: " + std::string(1000, 'x') + "\r\n")) {}
    EXPECT_EQ(endless.reply().status, 431);
}

TEST_F(HttpShapesTest, ClientsThatGoAwayAnywhereCostNothing) {
    const std::string bytes = echo("1", "gone");
    for (std::size_t cut = 1; cut < bytes.size(); cut += 7) {
        RawClient client = connect();
        client.send(std::string_view(bytes).substr(0, cut));
    }
    EXPECT_TRUE(eventually([&] { return descriptors() < 40; })) << descriptors() << " descriptors are still open";
}

}  // namespace
}  // namespace gantry::testing
