#include "base/schema/uri.hpp"

#include <gtest/gtest.h>

namespace gantry::schema {
namespace {

TEST(ResolveUri, FollowsTheExamplesOfRfc3986) {
    const auto at = [](std::string_view reference) { return resolve_uri("http://a/b/c/d;p?q", reference); };
    EXPECT_EQ(at("g:h"), "g:h");
    EXPECT_EQ(at("g"), "http://a/b/c/g");
    EXPECT_EQ(at("./g"), "http://a/b/c/g");
    EXPECT_EQ(at("g/"), "http://a/b/c/g/");
    EXPECT_EQ(at("/g"), "http://a/g");
    EXPECT_EQ(at("//g"), "http://g");
    EXPECT_EQ(at("?y"), "http://a/b/c/d;p?y");
    EXPECT_EQ(at("g?y#s"), "http://a/b/c/g?y#s");
    EXPECT_EQ(at("#s"), "http://a/b/c/d;p?q#s");
    EXPECT_EQ(at(""), "http://a/b/c/d;p?q");
    EXPECT_EQ(at("."), "http://a/b/c/");
    EXPECT_EQ(at(".."), "http://a/b/");
    EXPECT_EQ(at("../../../g"), "http://a/g");
    EXPECT_EQ(at("/../g"), "http://a/g");
    EXPECT_EQ(at("g;x=1/../y"), "http://a/b/c/y");
    EXPECT_EQ(at("..g"), "http://a/b/c/..g");
}

TEST(ResolveUri, WorksWithoutHierarchy) {
    EXPECT_EQ(resolve_uri("urn:uuid:1", "#a"), "urn:uuid:1#a");
    EXPECT_EQ(resolve_uri("", "a.json#b"), "a.json#b");
    EXPECT_EQ(resolve_uri("file:///c:/f/x.json", "y.json"), "file:///c:/f/y.json");
    EXPECT_EQ(resolve_uri("http://a", "b"), "http://a/b");
}

TEST(PercentDecode, LeavesBrokenEscapes) {
    EXPECT_EQ(percent_decode("a%20b%2"), "a b%2");
    EXPECT_EQ(percent_decode("%zz%7E"), "%zz~");
}

}  // namespace
}  // namespace gantry::schema
