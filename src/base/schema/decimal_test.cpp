#include "base/schema/decimal.hpp"

#include <gtest/gtest.h>

namespace gantry::schema {
namespace {

Decimal d(std::string_view text) {
    return Decimal::parse(text);
}

TEST(Decimal, OrdersByValueNotByText) {
    EXPECT_EQ(d("1"), d("10e-1"));
    EXPECT_EQ(d("0"), d("-0.000e5"));
    EXPECT_LT(d("-2"), d("-1"));
    EXPECT_LT(d("-1e-400"), d("0"));
    EXPECT_LT(d("0"), d("1e-400"));
    EXPECT_LT(d("9"), d("10"));
    EXPECT_LT(d("1.09"), d("1.1"));
    EXPECT_GT(d("1e999999999999"), d("1e999999999998"));
    EXPECT_LT(d("972783798187987123879878123.18878137"), d("972783798187987123879878123.188781371"));
}

TEST(Decimal, DividesExactly) {
    EXPECT_TRUE(is_multiple(d("0.3"), d("0.1")));
    EXPECT_TRUE(is_multiple(d("-4.5"), d("1.5")));
    EXPECT_FALSE(is_multiple(d("35"), d("1.5")));
    EXPECT_FALSE(is_multiple(d("0.00751"), d("0.0001")));
    EXPECT_TRUE(is_multiple(d("0"), d("7")));
    EXPECT_TRUE(is_multiple(d("1e300"), d("1e-300")));
    EXPECT_FALSE(is_multiple(d("1e308"), d("0.123456789")));
    EXPECT_TRUE(is_multiple(d("1e3"), d("8")));
    EXPECT_FALSE(is_multiple(d("1e2"), d("8")));
}

TEST(Decimal, DividesByLongDivisors) {
    constexpr auto kPrimeProduct = "1000000000000000000000000000057000000000000000000000000000";
    EXPECT_TRUE(
        is_multiple(d("246913578024691357802469135780246913578"), d("123456789012345678901234567890123456789")));
    EXPECT_FALSE(
        is_multiple(d("246913578024691357802469135780246913579"), d("123456789012345678901234567890123456789")));
    EXPECT_TRUE(is_multiple(d("1e100"), d("1267650600228229401496703205376")));  // 2^100
    EXPECT_FALSE(is_multiple(d("1e99"), d("1267650600228229401496703205376")));
    EXPECT_TRUE(is_multiple(d(kPrimeProduct), d(kPrimeProduct)));
}

}  // namespace
}  // namespace gantry::schema
