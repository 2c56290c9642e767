#include "mcp/transport/refusal_words.hpp"

#include <gtest/gtest.h>

namespace gantry::mcp {
namespace {

TEST(RefusalWords, AreWhatAPersonCanRead) {
    EXPECT_EQ(refusal_words("text/plain", "MCP is served at /mcp\n"), "MCP is served at /mcp");
    EXPECT_EQ(refusal_words("application/json", R"({"error":{"message":"no such path"}})"), "no such path");
    EXPECT_EQ(refusal_words("application/json", R"({"error":"invalid_token","error_description":"expired"})"),
              "expired");
    EXPECT_EQ(refusal_words("application/problem+json", R"({"title":"x","detail":"too old"})"), "too old");
    EXPECT_EQ(
        refusal_words("text/html", "<html><title>404</title><style>p{}</style><h1>Not</h1>\n <p>found</p></html>"),
        "Not found");
    EXPECT_EQ(refusal_words("", "plain"), "plain");
}

TEST(RefusalWords, AreBoundedAndPrintable) {
    EXPECT_LE(refusal_words("text/plain", std::string(1u << 20, 'x')).size(), kMaxRefusalWords + 4);
    EXPECT_EQ(refusal_words("text/plain", "a\033[31mb\rc"), "a [31mb c");
    EXPECT_EQ(refusal_words("application/octet-stream", "binary"), "");
    EXPECT_EQ(refusal_words("application/json", "{broken"), "");
    EXPECT_EQ(refusal_words("application/json", "[1]"), "");
    EXPECT_EQ(refusal_words("text/html", "<script>never ends"), "");
    EXPECT_EQ(refusal_words("text/html", "<<<"), "");
}

}  // namespace
}  // namespace gantry::mcp
