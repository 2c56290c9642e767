#include "base/json/splice.hpp"

#include <gtest/gtest.h>

#include "base/json/scan.hpp"

namespace gantry::json {
namespace {

TEST(JsonSplice, ReplacesPartsAndForwardsTheRestByteForByte) {
    const std::string text =
        R"( {"id" : 41,"method":"tools/call", "params":{"name":"srv__sum","arguments":{"x":1.00,"y":"\u00e9"}}} )";
    const auto view = scan_envelope(text);
    ASSERT_TRUE(view.has_value());
    Splice splice(text);
    splice.replace(view->in_params.name, R"("sum")");
    splice.replace(view->id, R"("g7")");
    splice.replace(view->in_params.cursor, "absent");
    EXPECT_EQ(splice.finish(),
              R"( {"id" : "g7","method":"tools/call", "params":{"name":"sum","arguments":{"x":1.00,"y":"\u00e9"}}} )");
    EXPECT_EQ(Splice(text).finish(), text);
}

TEST(JsonSplice, RemovesAnyCombinationOfMembersAndAddsOthers) {
    for (const std::string text : {R"({"params":{"name":1,"x":0,"uri":2,"cursor":3}})",
                                   "{ \"params\" : {\n \"name\" : 1 , \"x\" : 0 , \"uri\" : 2\n, \"cursor\" : 3 } }",
                                   R"({"params":{"name":1,"uri":2,"cursor":3}})"}) {
        const auto view = scan_envelope(text);
        ASSERT_TRUE(view.has_value());
        for (unsigned choice = 0; choice < 64; ++choice) {
            auto expected = Json::parse(text);
            auto* params = expected->find("params")->if_object();
            Splice splice(text);
            // Changes are made back to front: the order must not matter.
            if (choice & 1) splice.remove(view->in_params.cursor);
            if (choice & 2) splice.remove(view->in_params.uri);
            if (choice & 4) splice.remove(view->in_params.name);
            if (choice & 1) params->erase("cursor");
            if (choice & 2) params->erase("uri");
            if (choice & 4) params->erase("name");
            if (choice & 8) splice.add(view->params, "_m\"eta", R"({"k":1})");
            if (choice & 8) params->set("_m\"eta", JsonObject{{"k", 1}});
            if (choice & 16) splice.add(view->params, "more", "[]");
            if (choice & 16) params->set("more", JsonArray{});
            if ((choice & 32) && !(choice & 4)) {
                splice.replace(view->in_params.name, "\"new\"");
                params->set("name", "new");
            }
            const auto out = splice.finish();
            ASSERT_TRUE(out.has_value()) << choice;
            const auto read = Json::parse(*out);
            ASSERT_TRUE(read.has_value()) << *out << ": " << read.error().message();
            EXPECT_EQ(*read, *expected) << *out;
        }
    }
}

TEST(JsonSplice, AddsToTheTopLevel) {
    const std::string empty = " {} ";
    Splice into_empty(empty);
    into_empty.add(whole(empty), "a", "1");
    EXPECT_EQ(into_empty.finish(), R"( {"a":1} )");
    const std::string text = R"( {"b":2} )";
    Splice splice(text);
    splice.add(whole(text), "a", "1");
    EXPECT_EQ(splice.finish(), R"( {"a":1,"b":2} )");
}

TEST(JsonSplice, RefusesChangesInsideEachOther) {
    const std::string text = R"({"params":{"name":"x"}})";
    const auto view = scan_envelope(text);
    Splice splice(text);
    splice.replace(view->params, "{}");
    splice.replace(view->in_params.name, "1");
    const auto out = splice.finish();
    ASSERT_FALSE(out.has_value());
    EXPECT_EQ(out.error().code(), ErrorCode::kInvalidArgument);
}

TEST(JsonSplice, RefusesSpansOfAnotherText) {
    const std::string text = R"({"id":1})";
    const std::string other = text;
    Splice splice(text);
    splice.replace(scan_envelope(other)->id, "2");
    EXPECT_FALSE(splice.finish().has_value());
}

TEST(JsonSplice, RefusesToAddToWhatIsNoObject) {
    const std::string text = R"({"params":[1]})";
    const auto view = scan_envelope(text);
    Splice splice(text);
    splice.add(view->params, "a", "1");
    EXPECT_FALSE(splice.finish().has_value());
}

TEST(JsonSplice, OneLineChangesBlanksOnly) {
    std::string text = "{\n\t\"a\":\r\n\"x\\ny\" }";
    const auto before = Json::parse(text);
    make_one_line(text);
    EXPECT_EQ(text, "{ \t\"a\":  \"x\\ny\" }");
    EXPECT_EQ(*Json::parse(text), *before);
}

}  // namespace
}  // namespace gantry::json
