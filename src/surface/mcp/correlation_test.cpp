#include "surface/mcp/correlation.hpp"

#include <gtest/gtest.h>

#include "base/json/scan.hpp"

namespace gantry::surface {
namespace {

/// A call with that `_meta` and those header fields.
std::string id_of(const std::string& meta, const http::Headers* headers = nullptr) {
    const std::string text = R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x")" +
                             (meta.empty() ? "" : R"(,"_meta":)" + meta) + "}}";
    const auto view = json::scan_envelope(text);
    EXPECT_TRUE(view) << text;
    return correlation_id_of(
        {.peer = nullptr, .text = text, .view = *view, .method = "tools/call", .headers = headers});
}

std::string in_meta(const std::string& value) {
    return R"({"io.gantry/correlationId":)" + value + "}";
}

TEST(Correlation, EveryCallHasAnIdOfItsOwn) {
    const std::string first = id_of(""), second = id_of("{}");
    EXPECT_EQ(first.size(), 15u);
    EXPECT_NE(first, second);
}

TEST(Correlation, TheCallersIdIsKeptWhereverItStands) {
    EXPECT_EQ(id_of(in_meta(R"("job-17")")), "job-17");
    http::Headers headers{{"x-request-id", "3f2504e0-4f89-11d3-9a0c-0305e82c3301"}};
    EXPECT_EQ(id_of("", &headers), "3f2504e0-4f89-11d3-9a0c-0305e82c3301");
    headers.add("X-Correlation-ID", "Root=1-67891233-abcdef012345678912345678");
    EXPECT_EQ(id_of("{}", &headers), "Root=1-67891233-abcdef012345678912345678");
    EXPECT_EQ(id_of(in_meta(R"("job-17")"), &headers), "job-17") << "the call itself says more than its carrier";
}

TEST(Correlation, WhatCouldMeanSomethingInALogIsNotKept) {
    for (const std::string odd :
         {R"("")", R"("a b")", R"("a\nb")", R"("a\"b")", R"("é")", R"("a,b")", R"("<x>")", "17", "null", R"(["a"])"})
        EXPECT_EQ(id_of(in_meta(odd)).size(), 15u) << odd;
    EXPECT_EQ(id_of(in_meta('"' + std::string(128, 'a') + '"')), std::string(128, 'a'));
    EXPECT_EQ(id_of(in_meta('"' + std::string(129, 'a') + '"')).size(), 15u);
    const http::Headers headers{{"X-Correlation-Id", "two words"}, {"X-Request-Id", "r1"}};
    EXPECT_EQ(id_of(in_meta(R"("no good")"), &headers), "r1") << "the next one that can be used";
}

}  // namespace
}  // namespace gantry::surface
