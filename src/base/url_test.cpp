#include "base/url.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace gantry {
namespace {

Url parsed(std::string_view text) {
    auto url = Url::parse(text);
    EXPECT_TRUE(url) << text;
    return url ? *url : Url();
}

TEST(Url, SplitsIntoItsPartsAndKeepsTheText) {
    const Url url = parsed("HTTPS://Api.Example.COM:8443/a/b%2Fc?x=1&y=?#frag");
    EXPECT_EQ(url.text(), "HTTPS://Api.Example.COM:8443/a/b%2Fc?x=1&y=?#frag");
    EXPECT_TRUE(url.is_https());
    EXPECT_EQ(url.host(), "api.example.com");
    EXPECT_EQ(url.port(), 8443);
    EXPECT_EQ(url.path(), "/a/b%2Fc");
    EXPECT_EQ(url.query(), "x=1&y=?");
    EXPECT_EQ(url.target(), "/a/b%2Fc?x=1&y=?");
    EXPECT_EQ(url.authority(), "api.example.com:8443");
    EXPECT_EQ(url.origin(), "https://api.example.com:8443");
}

TEST(Url, DefaultPortsAreImpliedAndLeftOutOfTheAuthority) {
    EXPECT_EQ(parsed("http://h").port(), 80);
    EXPECT_EQ(parsed("https://h").port(), 443);
    EXPECT_EQ(parsed("https://h:/x").port(), 443);
    EXPECT_EQ(parsed("http://h:80/").authority(), "h");
    EXPECT_EQ(parsed("https://h:443/").origin(), "https://h");
    EXPECT_EQ(parsed("http://h:443/").authority(), "h:443");
    EXPECT_EQ(parsed("https://h:80/").authority(), "h:80");
    EXPECT_EQ(parsed("http://h:080/").authority(), "h");
}

TEST(Url, MissingPathIsSlashOnTheWireButNotInTheText) {
    EXPECT_EQ(parsed("http://h").text(), "http://h");
    EXPECT_EQ(parsed("http://h").target(), "/");
    EXPECT_EQ(parsed("http://h?q=1").target(), "/?q=1");
    EXPECT_EQ(parsed("http://h#f").target(), "/");
    EXPECT_NE(parsed("http://h"), parsed("http://h/"));
}

TEST(Url, EmptyQueryDiffersFromNoQuery) {
    EXPECT_EQ(parsed("http://h/x?").target(), "/x?");
    EXPECT_EQ(parsed("http://h/x?").query(), "");
    EXPECT_EQ(parsed("http://h/x").target(), "/x");
}

TEST(Url, Ipv6LiteralsLoseAndRegainTheirBrackets) {
    const Url url = parsed("http://[2001:DB8::1]:8080/mcp");
    EXPECT_EQ(url.host(), "2001:db8::1");
    EXPECT_EQ(url.port(), 8080);
    EXPECT_EQ(url.authority(), "[2001:db8::1]:8080");
    EXPECT_EQ(url.origin(), "http://[2001:db8::1]:8080");
    EXPECT_EQ(parsed("https://[::1]").authority(), "[::1]");
    EXPECT_EQ(parsed("http://[::ffff:10.0.0.1]/").host(), "::ffff:10.0.0.1");
}

TEST(Url, KnowsLoopbackLiterals) {
    for (const auto* text : {"http://localhost", "http://LOCALHOST:1/", "http://127.0.0.1", "http://127.255.3.4:99/x",
                             "http://[::1]/", "http://[0:0:0:0:0:0:0:1]/"})
        EXPECT_TRUE(parsed(text).is_loopback_literal()) << text;
    for (const auto* text : {"http://localhost.example.com", "http://127.0.0.1.example.com", "http://128.0.0.1",
                             "http://[::2]/", "http://[::ffff:127.0.0.1]/", "http://my-localhost/"})
        EXPECT_FALSE(parsed(text).is_loopback_literal()) << text;
}

TEST(Url, AcceptsOddButClearInput) {
    for (const auto* text :
         {"http://a_b.example/", "http://h./", "http://xn--bcher-kva.example/", "http://1.2.3.4:5", "http://h//x//y",
          "http://h/..", "http://h/a%20b", "http://h/%zz", "http://h/{id}", "http://h/?a=[1]&b=\\", "http://h/x@y:z",
          "http://h?@x", "http://0.0.0.0/", "http://a1/", "http://3com.example/", "http://x0x/", "http://h/#a#b"})
        EXPECT_TRUE(Url::parse(text)) << text;
}

TEST(Url, RefusesOddInput) {
    const std::string_view table[] = {
        "",
        "h",
        "/x",
        "//h/x",
        "http",
        "http:",
        "http:/",
        "http://",
        "http:///x",
        "http://?q",
        "http://#f",
        "http:h",
        "ftp://h/",
        "ws://h/",
        "file:///etc/passwd",
        "javascript:alert(1)",
        "http//h",
        ":http://h",
        "http://user@h/",
        "http://user:pw@h/",
        "http://@h/",
        "http://h@evil/",
        "http://a:80@b/",
        "http://h:0/",
        "http://h:65536/",
        "http://h:99999999999/",
        "http://h:8x/",
        "http://h:-1/",
        "http://h:+1/",
        "http://h:1:2/",
        " http://h/",
        "http://h/ ",
        "http://h/a b",
        "http://h/\t",
        "http://h/\r\nX: y",
        "http://h\n/",
        "http://h/\x7f",
        "http://h/\x01",
        std::string_view("http://h/\0x", 11),
        std::string_view("http://h\0.evil/", 15),
        "http://h\xc3\xa9/",
        "http://h/\xc3\xa9",
        "http://%68ost/",
        "http://h%2eexample/",
        "http://h%00/",
        "http://h%40evil/",
        "http://[::1/",
        "http://::1/",
        "http://[]/",
        "http://[::1]x/",
        "http://[::g]/",
        "http://[1.2.3.4]/",
        "http://[fe80::1%25eth0]/",
        "http://[::1",
        "http://[[::1]]/",
        "http://[v1.x]/",
        "http://127.1/",
        "http://2130706433/",
        "http://0x7f000001/",
        "http://0x7f.0.0.1/",
        "http://0177.0.0.1/",
        "http://1.2.3.256/",
        "http://1.2.3.4.5/",
        "http://1.2.3.4./",
        "http://example.0x1/",
        "http://example.7/",
        "http://./",
        "http://../",
        "http://.h/",
        "http://a..b/",
        "http://h../",
        "http://h\\evil/",
        "http://h/\\evil",
        "http:\\\\h\\x",
        "http://h,x/",
        "http://h;x/",
        "http://h!/",
        "http://a|b/",
        "http://<h>/",
        "http://h\"/",
    };
    for (const auto text : table) {
        const auto url = Url::parse(text);
        ASSERT_FALSE(url) << text;
        EXPECT_EQ(url.error().code(), ErrorCode::kParse) << text;
    }
}

TEST(Url, RefusesEndlessInputAndHosts) {
    const auto long_url = Url::parse("http://h/" + std::string(Url::kMaxLength, 'a'));
    ASSERT_FALSE(long_url);
    EXPECT_EQ(long_url.error().code(), ErrorCode::kLimit);
    EXPECT_TRUE(Url::parse("http://" + std::string(253, 'a')));
    EXPECT_FALSE(Url::parse("http://" + std::string(254, 'a')));
}

TEST(Url, ErrorsNeverRepeatTheText) {
    for (const auto* text : {"http://user:hunter2@h/", "http://h/hunter2\n", "hunter2://x", "http://hunter2,/"})
        EXPECT_EQ(Url::parse(text).error().to_string().find("hunter2"), std::string::npos) << text;
}

TEST(Url, ResolvesTheReferencesOfRfc3986) {
    const Url base = parsed("http://a/b/c/d;p?q");
    const std::pair<std::string_view, std::string_view> table[] = {
        {"g", "http://a/b/c/g"},
        {"./g", "http://a/b/c/g"},
        {"g/", "http://a/b/c/g/"},
        {"/g", "http://a/g"},
        {"//g", "http://g"},
        {"?y", "http://a/b/c/d;p?y"},
        {"g?y", "http://a/b/c/g?y"},
        {"#s", "http://a/b/c/d;p?q#s"},
        {"g#s", "http://a/b/c/g#s"},
        {"g?y#s", "http://a/b/c/g?y#s"},
        {";x", "http://a/b/c/;x"},
        {"g;x", "http://a/b/c/g;x"},
        {"g;x?y#s", "http://a/b/c/g;x?y#s"},
        {"", "http://a/b/c/d;p?q"},
        {".", "http://a/b/c/"},
        {"./", "http://a/b/c/"},
        {"..", "http://a/b/"},
        {"../", "http://a/b/"},
        {"../g", "http://a/b/g"},
        {"../..", "http://a/"},
        {"../../", "http://a/"},
        {"../../g", "http://a/g"},
        {"../../../g", "http://a/g"},
        {"../../../../g", "http://a/g"},
        {"/./g", "http://a/g"},
        {"/../g", "http://a/g"},
        {"g.", "http://a/b/c/g."},
        {".g", "http://a/b/c/.g"},
        {"g..", "http://a/b/c/g.."},
        {"..g", "http://a/b/c/..g"},
        {"./../g", "http://a/b/g"},
        {"./g/.", "http://a/b/c/g/"},
        {"g/./h", "http://a/b/c/g/h"},
        {"g/../h", "http://a/b/c/h"},
        {"g;x=1/./y", "http://a/b/c/g;x=1/y"},
        {"g;x=1/../y", "http://a/b/c/y"},
        {"g?y/./x", "http://a/b/c/g?y/./x"},
        {"g?y/../x", "http://a/b/c/g?y/../x"},
        {"g#s/./x", "http://a/b/c/g#s/./x"},
        {"g#s/../x", "http://a/b/c/g#s/../x"},
    };
    for (const auto& [reference, expected] : table) {
        const auto url = base.resolve(reference);
        ASSERT_TRUE(url) << reference;
        EXPECT_EQ(url->text(), expected) << reference;
    }
    EXPECT_FALSE(base.resolve("g:h"));     // another scheme
    EXPECT_FALSE(base.resolve("http:g"));  // strict reading: a scheme without an authority
}

TEST(Url, ResolvesAgainstOddBases) {
    EXPECT_EQ(parsed("HTTPS://H:8443").resolve("x")->text(), "HTTPS://H:8443/x");
    EXPECT_EQ(parsed("https://h").resolve("")->text(), "https://h");
    EXPECT_EQ(parsed("https://h").resolve("?q")->text(), "https://h?q");
    EXPECT_EQ(parsed("https://h/x#old").resolve("")->text(), "https://h/x");
    EXPECT_EQ(parsed("https://h/x?q#old").resolve("#new")->text(), "https://h/x?q#new");
    EXPECT_EQ(parsed("https://h/x?a/b").resolve("y")->text(), "https://h/y");
    EXPECT_EQ(parsed("https://[::1]:9/x").resolve("/y")->origin(), "https://[::1]:9");
    EXPECT_EQ(parsed("https://h/x").resolve("//g:1/a/../b?c")->text(), "https://g:1/b?c");
    EXPECT_EQ(parsed("https://h/x").resolve("/..//evil/y")->host(), "h");
    EXPECT_EQ(parsed("https://h/x").resolve("http://G/a/../b")->text(), "http://G/a/../b");
    EXPECT_FALSE(parsed("https://h/x").resolve("//user@g/"));
    EXPECT_FALSE(parsed("https://h/x").resolve("///g"));
    EXPECT_FALSE(parsed("https://h/x").resolve("/a b"));
    EXPECT_FALSE(parsed("https://h/x").resolve("/\\g"));
}

}  // namespace
}  // namespace gantry
