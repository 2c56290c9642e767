#include "io/http/head.hpp"

#include <gtest/gtest.h>

#include "io/http/framing.hpp"
#include "io/http/smuggling_cases.hpp"

namespace gantry::http {
namespace {

Accepted<RequestRules> judge(std::string_view text, RequestHead& head, HeadLimits limits = {}) {
    HeadScanner scanner;
    const auto end = scanner.scan(text, limits);
    if (!end) return std::unexpected(end.error());
    if (*end == 0) return refuse("incomplete", 0);
    if (auto parsed = parse_request_head(text.substr(0, *end), head); !parsed) return std::unexpected(parsed.error());
    return judge_request(head);
}

int status_of(std::string_view text, HeadLimits limits = {}) {
    RequestHead head;
    const auto rules = judge(text, head, limits);
    return rules ? 200 : rules.error().status;
}

TEST(RequestHead, SplitsLineAndFields) {
    RequestHead head;
    const auto rules = judge(
        "POST /mcp?x=1 HTTP/1.1\r\nHost: a:80\r\nA:b\r\nB: \t c d \t\r\nEmpty:\r\nContent-Length: 12\r\n\r\n", head);
    ASSERT_TRUE(rules) << rules.error().reason;
    EXPECT_EQ(head.method, "POST");
    EXPECT_EQ(head.target, "/mcp?x=1");
    EXPECT_EQ(head.headers.get("a"), "b");
    EXPECT_EQ(head.headers.get("B"), "c d");
    EXPECT_EQ(head.headers.get("Empty"), "");
    EXPECT_EQ(rules->body, Framing::of_length(12));
    EXPECT_TRUE(rules->keep_alive);
}

std::string shown(const RequestHead& head) {
    std::string text = head.method + ' ' + head.target;
    for (std::size_t i = 0; i < head.headers.size(); ++i) {
        text.append("|").append(head.headers[i].name).append("=").append(head.headers[i].value);
        text.append(" ").append(std::to_string(static_cast<int>(head.headers.name_of(i))));
        text.append(" ").append(head.headers.line(i));
    }
    return text;
}

TEST(RequestHead, ReadAfterAnotherOneIsReadAsIfItWereTheFirst) {
    const std::vector<std::string> heads = {
        "POST /mcp HTTP/1.1\r\nHost: a\r\nContent-Length: 12\r\nX: 1\r\n\r\n",
        "POST /mcp HTTP/1.1\r\nHost: a\r\nContent-Length: 12\r\nX: 1\r\n\r\n",
        "GET /longer/target HTTP/1.1\r\nHost: a\r\nContent-Length: 7\r\nX: 1\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 7\r\nX: 1\r\nY: 2\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nY: 2\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nY: 22\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: ab\r\nY:22\r\nMcp-Name: z\r\n\r\n",
        "GET / HTTP/1.1\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: " + std::string(6000, 'h') + "\r\nY: 2\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nbroken line\r\nY: 2\r\n\r\n",
    };
    for (const std::string& first : heads) {
        for (const std::string& second : heads) {
            RequestHead fresh;
            RequestHead used;
            (void)parse_request_head(first, used);
            const bool parsed = parse_request_head(second, fresh).has_value();
            ASSERT_EQ(parse_request_head(second, used).has_value(), parsed) << first << second;
            if (parsed) EXPECT_EQ(shown(used), shown(fresh)) << first << second;
        }
    }
}

TEST(RequestHead, ALineIsNotTakenForTheOneItBeginsWith) {
    RequestHead head;
    ASSERT_TRUE(parse_request_head("GET / HTTP/1.1\r\nHost: a\r\nLast: x\r\n\r\n", head));
    ASSERT_TRUE(parse_request_head("GET / HTTP/1.1\r\nHost: a\r\nLast: xy\r\n\r\n", head));
    EXPECT_EQ(head.headers.get("last"), "xy");
    head.headers.add("Added", "1");  // no longer a head as received
    ASSERT_TRUE(parse_request_head("GET / HTTP/1.1\r\nHost: a\r\nLast: xy\r\n\r\n", head));
    EXPECT_EQ(head.headers.size(), 2u);
}

TEST(RequestHead, EverySmugglingFormIsRefusedWithItsStatus) {
    for (const SmugglingCase& c : kSmugglingCases) {
        EXPECT_EQ(status_of(std::string(c.request)), c.status) << c.name;
    }
}

TEST(RequestHead, ScannerFindsTheSameEndForEverySplit) {
    const std::string text = "GET / HTTP/1.1\r\nHost: a\r\nX: yyyy\r\n\r\n";
    const std::string more = text + "GET /second";
    for (std::size_t cut = 0; cut <= more.size(); ++cut) {
        HeadScanner scanner;
        const auto first = scanner.scan(std::string_view(more).substr(0, cut), {});
        ASSERT_TRUE(first);
        EXPECT_EQ(*first, cut >= text.size() ? text.size() : 0) << cut;
        if (*first == 0) {
            const auto second = scanner.scan(more, {});
            ASSERT_TRUE(second);
            EXPECT_EQ(*second, text.size()) << cut;
        }
    }
}

TEST(RequestHead, BareLfIsRefusedBeforeTheHeadIsComplete) {
    HeadScanner scanner;
    EXPECT_FALSE(scanner.scan("GET / HTTP/1.1\nHo", {}));
}

TEST(RequestHead, LimitsCountBytesAndFields) {
    const std::string small = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
    EXPECT_EQ(status_of(small, {.bytes = small.size(), .fields = 1}), 200);
    EXPECT_EQ(status_of(small, {.bytes = small.size() - 1, .fields = 1}), 431);
    EXPECT_EQ(status_of(small, {.bytes = 100, .fields = 0}), 431);
    HeadScanner scanner;
    const auto endless = scanner.scan(std::string(200, 'a'), {.bytes = 200, .fields = 1});
    ASSERT_FALSE(endless);
    EXPECT_EQ(endless.error().status, 431);
}

TEST(RequestHead, AbsoluteFormBecomesOriginFormWhenHostAgrees) {
    RequestHead head;
    ASSERT_TRUE(judge("GET http://Example.com:8080/a?b HTTP/1.1\r\nHost: example.com:8080\r\n\r\n", head));
    EXPECT_EQ(head.target, "/a?b");
    ASSERT_TRUE(judge("GET http://h?q HTTP/1.1\r\nHost: h\r\n\r\n", head));
    EXPECT_EQ(head.target, "/?q");
    ASSERT_TRUE(judge("OPTIONS * HTTP/1.1\r\nHost: h\r\n\r\n", head));
    EXPECT_EQ(head.target, "*");
}

TEST(RequestHead, KeepAliveFollowsVersionAndConnection) {
    const auto keeps = [](const std::string& text) {
        RequestHead head;
        const auto rules = judge(text, head);
        EXPECT_TRUE(rules);
        return rules && rules->keep_alive;
    };
    EXPECT_TRUE(keeps("GET / HTTP/1.1\r\nHost: a\r\n\r\n"));
    EXPECT_FALSE(keeps("GET / HTTP/1.1\r\nHost: a\r\nConnection: x, Close\r\n\r\n"));
    EXPECT_FALSE(keeps("GET / HTTP/1.0\r\n\r\n"));
    EXPECT_TRUE(keeps("GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n"));
}

TEST(RequestHead, ExpectContinueOnlyWithABody) {
    RequestHead head;
    auto rules = judge("POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-Continue\r\nContent-Length: 1\r\n\r\n", head);
    ASSERT_TRUE(rules);
    EXPECT_TRUE(rules->expects_continue);
    rules = judge("GET / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n\r\n", head);
    ASSERT_TRUE(rules);
    EXPECT_FALSE(rules->expects_continue);
}

Accepted<ResponseRules> judge_answer(std::string_view text, std::string_view method = "GET") {
    ResponseHead head;
    HeadScanner scanner;
    const auto end = scanner.scan(text, {});
    if (!end) return std::unexpected(end.error());
    if (*end != text.size()) return refuse("incomplete");
    if (auto parsed = parse_response_head(text, head); !parsed) return std::unexpected(parsed.error());
    return judge_response(method, head);
}

TEST(ResponseHead, FramingFollowsStatusMethodAndFields) {
    EXPECT_EQ(judge_answer("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n")->body, Framing::of_length(5));
    EXPECT_EQ(judge_answer("HTTP/1.1 200\r\nTransfer-Encoding: Chunked\r\n\r\n")->body, Framing::chunked());
    EXPECT_EQ(judge_answer("HTTP/1.1 200 \r\n\r\n")->body, Framing::until_close());
    EXPECT_FALSE(judge_answer("HTTP/1.1 200 OK\r\n\r\n")->keep_alive);
    EXPECT_EQ(judge_answer("HTTP/1.1 204 No\r\nContent-Length: 5\r\n\r\n")->body, Framing::none());
    EXPECT_EQ(judge_answer("HTTP/1.1 304 No\r\nContent-Length: 5\r\n\r\n")->body, Framing::none());
    EXPECT_EQ(judge_answer("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", "HEAD")->body, Framing::none());
    EXPECT_FALSE(judge_answer("HTTP/1.0 200 OK\r\nContent-Length: 5\r\n\r\n")->keep_alive);
    EXPECT_TRUE(judge_answer("HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 5\r\n\r\n")->keep_alive);
}

TEST(ResponseHead, RefusesWhatTwoParsersCouldReadDifferently) {
    for (const char* text : {
             "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n",
             "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\n",
             "HTTP/1.1 200 OK\r\nContent-Length: 5, 5\r\n\r\n",
             "HTTP/1.1 200 OK\r\nContent-Length: +5\r\n\r\n",
             "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
             "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
             "HTTP/1.1 200 OK\r\nA: b\r\n c\r\n\r\n",
             "HTTP/1.1 200 OK\r\nA : b\r\n\r\n",
             "HTTP/1.1 200 OK\nA: b\r\n\r\n",
             "HTTP/1.1 200 OK\r\nA: b\rc\r\n\r\n",
             "HTTP/1.1 2000 OK\r\n\r\n",
             "HTTP/1.1 99 OK\r\n\r\n",
             "HTTP/1.1 600 OK\r\n\r\n",
             "HTTP/2.0 200 OK\r\n\r\n",
             "ICY 200 OK\r\n\r\n",
             "HTTP/1.1  200 OK\r\n\r\n",
         }) {
        EXPECT_FALSE(judge_answer(text)) << text;
    }
}

TEST(Framing, EndToEndFieldsLeaveConnectionBehind) {
    const Headers from{{"Connection", "X-Secret, keep-alive"},
                       {"X-Secret", "1"},
                       {"Keep-Alive", "1"},
                       {"TE", "trailers"},
                       {"A", "1"},
                       {"Transfer-Encoding", "chunked"},
                       {"Content-Length", "3"},
                       {"Upgrade", "h2c"}};
    Headers to;
    copy_end_to_end(from, to);
    EXPECT_EQ(to.size(), 1u);
    EXPECT_EQ(to.get("A"), "1");
}

}  // namespace
}  // namespace gantry::http
