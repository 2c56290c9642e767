#include "io/http/write_head.hpp"

#include <gtest/gtest.h>

namespace gantry::http {
namespace {

TEST(RequestHeadWriter, WritesOurFieldsOnce) {
    std::string out;
    const Headers headers{{"Accept", "a"},
                          {"Host", "evil"},
                          {"Content-Length", "99"},
                          {"Connection", "x"},
                          {"Transfer-Encoding", "chunked"}};
    ASSERT_TRUE(append_request_head(out, {.method = "POST", .target = "/x", .authority = "h:1", .user_agent = "u"},
                                    headers, Framing::of_length(3)));
    EXPECT_EQ(out, "POST /x HTTP/1.1\r\nHost: h:1\r\nAccept: a\r\nUser-Agent: u\r\nContent-Length: 3\r\n\r\n");
}

TEST(RequestHeadWriter, RefusesWhatWouldSplitTheMessage) {
    std::string out = "kept";
    const RequestLine line{.method = "GET", .target = "/", .authority = "h", .user_agent = ""};
    EXPECT_FALSE(append_request_head(out, line, Headers{{"A", "b\r\nC: d"}}, Framing::none()));
    EXPECT_FALSE(append_request_head(out, line, Headers{{"A b", "c"}}, Framing::none()));
    EXPECT_FALSE(append_request_head(out, line, Headers{{"A", std::string_view("\0", 1)}}, Framing::none()));
    EXPECT_FALSE(append_request_head(out, {.method = "G T", .target = "/", .authority = "h", .user_agent = ""}, {},
                                     Framing::none()));
    EXPECT_FALSE(append_request_head(out, {.method = "GET", .target = "/ x", .authority = "h", .user_agent = ""}, {},
                                     Framing::none()));
    EXPECT_FALSE(append_request_head(out, {.method = "GET", .target = "", .authority = "h", .user_agent = ""}, {},
                                     Framing::none()));
    const auto refused = append_request_head(out, line, Headers{{"A", "secret\n"}}, Framing::none());
    EXPECT_EQ(refused.error().code(), ErrorCode::kInvalidArgument);
    EXPECT_EQ(refused.error().message().find("secret"), std::string::npos);
    EXPECT_EQ(out, "kept");
}

TEST(ResponseHeadWriter, SaysHowTheBodyEndsAndWhetherTheConnectionStays) {
    const auto written = [](StatusLine line, Framing body) {
        std::string out;
        line.add_date = false;
        EXPECT_TRUE(append_response_head(out, line, Headers{{"A", "b"}}, body));
        return out;
    };
    EXPECT_EQ(written({.status = 200}, Framing::of_length(0)), "HTTP/1.1 200 OK\r\nA: b\r\nContent-Length: 0\r\n\r\n");
    EXPECT_EQ(written({.status = 204, .keep_alive = false}, Framing::none()),
              "HTTP/1.1 204 No Content\r\nA: b\r\nConnection: close\r\n\r\n");
    EXPECT_EQ(written({.status = 200, .peer_minor = 0}, Framing::chunked()),
              "HTTP/1.1 200 OK\r\nA: b\r\nTransfer-Encoding: chunked\r\nConnection: keep-alive\r\n\r\n");
}

TEST(ResponseHeadWriter, AddsADateUnlessGiven) {
    std::string out;
    ASSERT_TRUE(append_response_head(out, {}, {}, Framing::none()));
    EXPECT_NE(out.find("\r\nDate: "), std::string::npos);
    EXPECT_NE(out.find(" GMT\r\n"), std::string::npos);
    out.clear();
    ASSERT_TRUE(append_response_head(out, {}, Headers{{"date", "x"}}, Framing::none()));
    EXPECT_EQ(out.find("Date: "), std::string::npos);
}

}  // namespace
}  // namespace gantry::http
