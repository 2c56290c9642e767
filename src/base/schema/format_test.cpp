#include "base/schema/format.hpp"

#include <gtest/gtest.h>

namespace gantry::schema {
namespace {

TEST(Format, KnowsTheCalendar) {
    EXPECT_TRUE(is_date("2024-02-29"));
    EXPECT_FALSE(is_date("2023-02-29"));
    EXPECT_FALSE(is_date("1900-02-29"));
    EXPECT_TRUE(is_date("2000-02-29"));
    EXPECT_FALSE(is_date("2024-13-01"));
    EXPECT_FALSE(is_date("2024-1-01"));
    EXPECT_TRUE(is_date_time("2024-06-30T23:59:60Z"));
    EXPECT_TRUE(is_date_time("2024-06-30t16:59:60.5-07:00"));
    EXPECT_FALSE(is_date_time("2024-06-30T22:59:60Z"));
    EXPECT_FALSE(is_date_time("2024-06-30 10:00:00Z"));
    EXPECT_FALSE(is_date_time("2024-06-30T10:00:00"));
    EXPECT_FALSE(is_time("24:00:00Z"));
    EXPECT_FALSE(is_time("10:00:00."));
}

TEST(Format, KnowsDurations) {
    for (const char* good : {"P1Y2M3DT4H5M6S", "PT1H", "P2W", "P1D", "PT36H"}) EXPECT_TRUE(is_duration(good)) << good;
    for (const char* bad : {"P", "PT", "P1YT", "P1Y2W", "P1H", "1D", "P1M1Y", "PT1S1M"}) {
        EXPECT_FALSE(is_duration(bad)) << bad;
    }
}

TEST(Format, KnowsAddresses) {
    for (const char* good : {"::", "::1", "1::", "1:2:3:4:5:6:7:8", "::ffff:1.2.3.4", "1:2:3:4:5:6:1.2.3.4"}) {
        EXPECT_TRUE(is_ipv6(good)) << good;
    }
    for (const char* bad : {"", ":", ":::", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1::2::3", "12345::", "::1%eth0",
                            "1:2:3:4:5:6:7:1.2.3.4", "::1.2.3.256", "1:"}) {
        EXPECT_FALSE(is_ipv6(bad)) << bad;
    }
    EXPECT_TRUE(is_ipv4("255.0.10.1"));
    for (const char* bad : {"256.0.0.1", "1.2.3", "1.2.3.4.5", "01.2.3.4", "1.2.3.4 ", "0x1.2.3.4"}) {
        EXPECT_FALSE(is_ipv4(bad)) << bad;
    }
    EXPECT_TRUE(is_email("a.b+c@example.com"));
    EXPECT_TRUE(is_email("\"a b\"@[127.0.0.1]"));
    for (const char* bad : {"a", "@b", "a@", ".a@b", "a..b@c", "a b@c", "a@b_c"}) EXPECT_FALSE(is_email(bad)) << bad;
    EXPECT_TRUE(is_hostname("xn--nxasmq6b.example-1.com"));
    for (const char* bad : {"", ".", "-a", "a-", "a..b", "a_b", "ab--c"}) EXPECT_FALSE(is_hostname(bad)) << bad;
}

TEST(Format, KnowsUris) {
    for (const char* good : {"http://u:p@h:80/p?q#f", "urn:a:b", "mailto:a@b", "http://[::1]:8/", "a:"}) {
        EXPECT_TRUE(is_uri(good, false)) << good;
    }
    for (const char* bad : {"//h/p", "http://a b", "http://[::1", "x:%2", "h:\\p", "http://h:8x", "a:#b#c", ""}) {
        EXPECT_FALSE(is_uri(bad, false)) << bad;
    }
    EXPECT_TRUE(is_uri_reference("../a?b", false));
    EXPECT_FALSE(is_uri_reference("ä", false));
    EXPECT_TRUE(is_uri_reference("ä", true));
}

TEST(Format, KnowsTheRest) {
    EXPECT_TRUE(is_uuid("2EB8AA08-aa98-11ea-b4aa-73b441d16380"));
    EXPECT_FALSE(is_uuid("2eb8aa08aa9811eab4aa73b441d16380"));
    EXPECT_TRUE(is_json_pointer("/a~0b/~1"));
    EXPECT_FALSE(is_json_pointer("/a~2"));
    EXPECT_FALSE(is_json_pointer("a"));
    EXPECT_TRUE(is_relative_json_pointer("0#"));
    EXPECT_FALSE(is_relative_json_pointer("01/a"));
    EXPECT_TRUE(has_format(Format::kRegex, "^(?=a)b$"));
    EXPECT_FALSE(has_format(Format::kRegex, "a(b"));
    EXPECT_EQ(format_named("no-such-format"), Format::kNone);
}

}  // namespace
}  // namespace gantry::schema
