#include "gantry/local_tool.hpp"

#include <gtest/gtest.h>

namespace {

struct AddArgs {
    double a;
    double b;
    std::optional<std::string> note;
};
GANTRY_DESCRIBE(AddArgs, (a, "first summand"), (b, "second summand"), note)

struct Sum {
    double sum;
};
GANTRY_DESCRIBE(Sum, sum)

gantry::Tool adder() {
    return gantry::make_tool("add", "Adds two numbers",
                             [](const AddArgs& args) -> gantry::Result<Sum> { return Sum{args.a + args.b}; });
}

TEST(LocalTool, DerivesItsSchemasFromTheStruct) {
    const gantry::Tool tool = adder();
    EXPECT_EQ(tool.name(), "add");
    EXPECT_EQ(tool.description(), "Adds two numbers");
    EXPECT_EQ(tool.input_schema().at_pointer("/properties/a/description")->dump(), "\"first summand\"");
    EXPECT_EQ(tool.input_schema().at_pointer("/required")->dump(), R"(["a","b"])");
    ASSERT_TRUE(tool.definition().output_schema);
}

TEST(LocalTool, AnswersLikeAServersTool) {
    auto result = adder().call({{"a", 1}, {"b", 2.5}});
    ASSERT_TRUE(result) << result.error().to_string();
    EXPECT_FALSE(result->is_error);
    EXPECT_EQ(result->structured_content->dump(), R"({"sum":3.5})");
    EXPECT_EQ(result->text(), R"({"sum":3.5})");
}

TEST(LocalTool, RefusesArgumentsThatDoNotFitWithoutNamingTheirValue) {
    auto result = adder().call({{"a", "secret"}, {"b", 1}});
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code(), gantry::ErrorCode::kSchema);
    EXPECT_EQ(result.error().message().find("secret"), std::string::npos);
    EXPECT_NE(result.error().message().find("a"), std::string::npos);
}

TEST(LocalTool, AFailureOfTheFunctionIsAFailedResultNotAnError) {
    const gantry::Tool tool = gantry::make_tool("fail", "Fails", [](const Sum&) -> gantry::Result<std::string> {
        return gantry::fail(gantry::ErrorCode::kInternal, "no luck");
    });
    auto result = tool.call({{"sum", 1}});
    ASSERT_TRUE(result);
    EXPECT_TRUE(result->is_error);
    EXPECT_EQ(result->text(), "no luck");
}

}  // namespace
