#include "io/net/egress.hpp"

#include <gtest/gtest.h>

#include <string>

#include "io/loop.hpp"
#include "io/net/address.hpp"
#include "io/net/resolver.hpp"

namespace gantry::net {
namespace {

using enum AddressKind;

struct AddressCase {
    const char* text;
    AddressKind kind;
};

constexpr AddressCase kAddresses[] = {
    {"8.8.8.8", kPublic},
    {"1.0.0.1", kPublic},
    {"0.0.0.0", kUnspecified},
    {"0.1.2.3", kUnspecified},
    {"10.0.0.1", kPrivate},
    {"9.255.255.255", kPublic},
    {"11.0.0.0", kPublic},
    {"100.63.255.255", kPublic},
    {"100.64.0.1", kPrivate},
    {"100.127.255.255", kPrivate},
    {"100.128.0.0", kPublic},
    {"127.0.0.1", kLoopback},
    {"127.255.255.254", kLoopback},
    {"169.254.169.254", kLinkLocal},
    {"172.15.255.255", kPublic},
    {"172.16.0.1", kPrivate},
    {"172.31.255.255", kPrivate},
    {"172.32.0.0", kPublic},
    {"192.0.0.8", kReserved},
    {"192.0.2.1", kReserved},
    {"192.168.1.1", kPrivate},
    {"198.17.255.255", kPublic},
    {"198.18.0.1", kReserved},
    {"198.19.255.255", kReserved},
    {"198.51.100.7", kReserved},
    {"203.0.113.7", kReserved},
    {"224.0.0.1", kMulticast},
    {"239.255.255.255", kMulticast},
    {"240.0.0.1", kReserved},
    {"255.255.255.255", kMulticast},
    // Odd spellings of IPv4.
    {"2130706433", kLoopback},
    {"0x7f.1", kLoopback},
    {"0x7f000001", kLoopback},
    {"0177.0.0.1", kLoopback},
    {"127.1", kLoopback},
    {"0", kUnspecified},
    {"0xa9.0xfe.0xa9.0xfe", kLinkLocal},
    {"10.1", kPrivate},
    // IPv6.
    {"::", kUnspecified},
    {"::1", kLoopback},
    {"0:0:0:0:0:0:0:1", kLoopback},
    {"2606:4700:4700::1111", kPublic},
    {"fc00::1", kPrivate},
    {"fdff:ffff::1", kPrivate},
    {"fe80::1", kLinkLocal},
    {"fe80::1%eth0", kLinkLocal},
    {"fe80::1%lo", kLinkLocal},
    {"febf::1", kLinkLocal},
    {"fec0::1", kPrivate},
    {"ff02::1", kMulticast},
    {"2001:db8::1", kReserved},
    {"3fff::1", kReserved},
    {"100::1", kReserved},
    {"2001:2::1", kReserved},
    // IPv4 inside IPv6.
    {"::ffff:127.0.0.1", kLoopback},
    {"::ffff:7f00:1", kLoopback},
    {"::ffff:169.254.169.254", kLinkLocal},
    {"::ffff:8.8.8.8", kPublic},
    {"::ffff:0.0.0.0", kUnspecified},
    {"::127.0.0.1", kLoopback},
    {"::10.0.0.1", kPrivate},
    {"::ffff:0:127.0.0.1", kLoopback},
    {"64:ff9b::10.0.0.1", kPrivate},
    {"64:ff9b::8.8.8.8", kPublic},
    {"64:ff9b:1::8.8.8.8", kPrivate},
    {"2002:7f00:1::", kLoopback},
    {"2002:c0a8:101::1", kPrivate},
    {"2002:808:808::1", kPublic},
    {"2001:0:4136:e378:8000:63bf:80ff:fffe", kLoopback},
    {"2001:0:a00:1:8000:63bf:f7f7:f7f7", kPrivate},
    {"2001:0:4136:e378:8000:63bf:f7f7:f7f7", kPublic},
    {"2606:4700::5efe:127.0.0.1", kLoopback},
    {"2606:4700::200:5efe:10.0.0.1", kPrivate},
};

TEST(Address, IsClassifiedInEverySpelling) {
    for (const AddressCase& test : kAddresses) {
        const auto address = Address::parse(test.text);
        ASSERT_TRUE(address) << test.text;
        EXPECT_EQ(to_string(classify(*address)), to_string(test.kind)) << test.text;
    }
}

TEST(Address, RefusesWhatIsNotNumeric) {
    using namespace std::string_view_literals;
    for (const std::string_view text : {""sv, "localhost"sv, "example.com"sv, "1.2.3.4.5"sv, "256.1.1.1"sv, ":::1"sv,
                                        "127.0.0.1\0"sv, "[::1]"sv, "1.2.3.4 "sv}) {
        EXPECT_FALSE(Address::parse(text)) << text;
    }
}

Url url(const std::string& text) {
    return Url::parse(text).value();
}

TEST(EgressGuard, AllowsEverythingByDefault) {
    const EgressGuard guard;
    for (const char* text :
         {"http://127.0.0.1/", "http://169.254.169.254/", "https://example.com/", "http://[::1]:1/"}) {
        EXPECT_TRUE(guard.check_url(url(text))) << text;
    }
}

TEST(EgressGuard, NamesTheRuleItAppliesAndDenies) {
    struct Case {
        EgressRules rules;
        const char* url;
        const char* rule;  // null: allowed
    };
    const EgressRules outside{.allow_http = false, .allow_loopback = false, .allow_private = false};
    const EgressRules local{.allow_private = false};
    const EgressRules no_metadata{.allow_link_local = false};
    const EgressRules listed{.allow_hosts = {"api.example.com", "*.Trusted.example."},
                             .deny_hosts = {"bad.trusted.example"}};
    const Case cases[] = {
        {outside, "http://example.com/", "allow_http"},
        {outside, "https://example.com/", nullptr},
        {outside, "https://127.0.0.1/", "allow_loopback"},
        {outside, "https://0.0.0.0/", "allow_private"},
        {outside, "https://10.0.0.1/", "allow_private"},
        {outside, "https://[::ffff:127.0.0.1]/", "allow_loopback"},
        {outside, "https://169.254.169.254/", "allow_private"},
        {outside, "https://8.8.8.8/", nullptr},
        {local, "http://127.0.0.1/", nullptr},
        {local, "http://0.0.0.0/", "allow_private"},
        {local, "http://192.168.0.1/", "allow_private"},
        {no_metadata, "http://169.254.169.254/", "allow_link_local"},
        {no_metadata, "http://[fe80::1]/", "allow_link_local"},
        {no_metadata, "http://192.168.0.1/", nullptr},
        {listed, "https://api.example.com/", nullptr},
        {listed, "https://API.example.com./", nullptr},
        {listed, "https://x.api.example.com/", "allow_hosts"},
        {listed, "https://a.trusted.example/", nullptr},
        {listed, "https://a.b.trusted.example/", nullptr},
        {listed, "https://trusted.example/", "allow_hosts"},
        {listed, "https://eviltrusted.example/", "allow_hosts"},
        {listed, "https://bad.trusted.example/", "deny_hosts"},
        {listed, "https://bad.trusted.example./", "deny_hosts"},
        {listed, "https://other.example/", "allow_hosts"},
    };
    for (const Case& test : cases) {
        const auto checked = EgressGuard(test.rules).check_url(url(test.url));
        if (!test.rule) {
            EXPECT_TRUE(checked) << test.url;
            continue;
        }
        ASSERT_FALSE(checked) << test.url;
        EXPECT_EQ(checked.error().code(), ErrorCode::kDenied);
        EXPECT_NE(checked.error().message().find(test.rule), std::string::npos) << checked.error().message();
    }
}

Result<std::vector<Endpoint>> resolve(const EgressGuard& guard, const std::string& text) {
    Loop loop;
    const Url target = url(text);
    return loop.run_until_done(guard.resolve(Context::background(), target));
}

TEST(EgressGuard, ChecksWhatTheNameResolvesTo) {
    const EgressGuard closed({.allow_loopback = false, .allow_private = false});
    for (const char* text : {"http://localhost/", "http://127.0.0.1/", "http://[::1]/"}) {
        const auto denied = resolve(closed, text);
        ASSERT_FALSE(denied) << text;
        EXPECT_EQ(denied.error().code(), ErrorCode::kDenied) << text;
    }
    const auto allowed = resolve(EgressGuard(), "http://localhost:8080/");
    ASSERT_TRUE(allowed) << allowed.error().to_string();
    for (const Endpoint& endpoint : *allowed) {
        EXPECT_EQ(endpoint.port, 8080);
        EXPECT_TRUE(endpoint.address == "127.0.0.1" || endpoint.address == "::1") << endpoint.address;
    }
}

TEST(EgressGuard, ApprovesTheAddressesThatPassAndOnlyThose) {
    const EgressGuard outside({.allow_loopback = false, .allow_private = false});
    const auto mixed = outside.approve({{"10.0.0.1", 1}, {"8.8.8.8", 1}, {"::1", 1}, {"1.1.1.1", 1}}, "a.example");
    ASSERT_TRUE(mixed);
    ASSERT_EQ(mixed->size(), 2u);
    EXPECT_EQ((*mixed)[0].address, "8.8.8.8");
    EXPECT_EQ((*mixed)[1].address, "1.1.1.1");
    const auto none = outside.approve({{"127.0.0.1", 1}}, "a.example");
    ASSERT_FALSE(none);
    EXPECT_EQ(none.error().code(), ErrorCode::kDenied);
    EXPECT_FALSE(outside.approve({}, "a.example"));
}

Task<Result<std::vector<Endpoint>>> look_up(Context ctx, std::string host) {
    co_return co_await resolve_host(ctx, std::move(host), 80);
}

TEST(Resolver, AnswersOddSpellingsWithThePlainNumber) {
    Loop loop;
    for (const char* host : {"0x7f.1", "2130706433", "0177.0.0.1", "127.0.0.1"}) {
        const auto found = loop.run_until_done(look_up(Context::background(), host));
        ASSERT_TRUE(found) << host;
        ASSERT_EQ(found->size(), 1u);
        EXPECT_EQ((*found)[0].address, "127.0.0.1") << host;
        EXPECT_FALSE(EgressGuard({.allow_loopback = false}).check_address(host)) << host;
    }
}

TEST(Resolver, SaysConnectionErrorForAnUnknownName) {
    Loop loop;
    const auto found = loop.run_until_done(look_up(Context::background(), "does-not-exist.invalid"));
    ASSERT_FALSE(found);
    EXPECT_EQ(found.error().code(), ErrorCode::kConnection);
}

TEST(Resolver, GivesUpWhenCancelledWhileTheLookupRuns) {
    Loop loop;
    CancelSource source;
    loop.post([source] { source.cancel(); });
    const auto found = loop.run_until_done(look_up(Context().stopped_by(source), "does-not-exist.invalid"));
    ASSERT_FALSE(found);
    EXPECT_EQ(found.error().code(), ErrorCode::kCancelled);
}

TEST(Resolver, RefusesImpossibleNames) {
    Loop loop;
    for (const std::string& host : {std::string(), std::string(300, 'a'), std::string("a\0b", 3)}) {
        EXPECT_EQ(loop.run_until_done(look_up(Context::background(), host)).error().code(),
                  ErrorCode::kInvalidArgument);
    }
}

}  // namespace
}  // namespace gantry::net
