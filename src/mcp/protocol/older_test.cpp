#include "mcp/protocol/older.hpp"

#include <gtest/gtest.h>

#include "base/schema/schema.hpp"

namespace gantry::mcp {
namespace {

using enum Revision;

Json json(std::string_view text) {
    auto parsed = Json::parse(text);
    EXPECT_TRUE(parsed) << text;
    return parsed ? *std::move(parsed) : Json();
}

constexpr std::array kLegacy{k2024_11_05, k2025_03_26, k2025_06_18, k2025_11_25};

const char* const kTool = R"({"name":"t","title":"T","description":"d","inputSchema":{"type":"object"},
    "outputSchema":{"type":"object"},"annotations":{"readOnlyHint":true},"execution":{"taskSupport":"optional"},
    "icons":[{"src":"data:,"}],"_meta":{"a/b":1},"vendor":1})";

TEST(Older, AToolKeepsWhatItsRevisionKnows) {
    const std::vector<std::pair<Revision, std::vector<std::string>>> lost{
        {k2024_11_05, {"title", "outputSchema", "annotations", "execution", "icons", "_meta"}},
        {k2025_03_26, {"title", "outputSchema", "execution", "icons", "_meta"}},
        {k2025_06_18, {"execution", "icons"}},
        {k2025_11_25, {}},
        {k2026_07_28, {"execution"}}};
    for (const auto& [revision, names] : lost) {
        Json expected = json(kTool);
        for (const std::string& name : names) expected.if_object()->erase(name);
        EXPECT_EQ(tool_for(json(kTool), revision), expected) << to_string(revision);
    }
}

TEST(Older, AnOutputSchemaThatIsNoObjectIsWrappedForLegacyClients) {
    const Json tool = json(R"({"name":"t","inputSchema":{"type":"object"},"outputSchema":{"type":"array"}})");
    const Json wrapped = json(R"({"type":"object","properties":{"result":{"type":"array"}},"required":["result"]})");
    EXPECT_EQ(*tool_for(tool, k2025_06_18).find("outputSchema"), wrapped);
    EXPECT_EQ(*tool_for(tool, k2025_11_25).find("outputSchema"), wrapped);
    EXPECT_EQ(tool_for(tool, k2026_07_28), tool);
    EXPECT_EQ(tool_for(tool, k2025_03_26).find("outputSchema"), nullptr);
}

TEST(Older, ReferencesFollowTheirTargetsIntoTheWrapper) {
    const Json schema = json(R"({"$schema":"https://json-schema.org/draft/2020-12/schema","type":"array",
        "items":{"$ref":"#/$defs/node"},
        "$defs":{"node":{"type":"object","properties":{"$ref":{"type":"string"},"next":{"$ref":"#/$defs/node"},
                 "all":{"$ref":"#"},"named":{"$ref":"#leaf"}},"default":{"$ref":"#/data"}},
                 "leaf":{"$anchor":"leaf","const":{"$ref":"#/x"}},
                 "own":{"$id":"https://example.com/own","$ref":"#/$defs/y","$defs":{"y":true}}}})");
    const Json wrapped = wrap_schema(schema);
    EXPECT_EQ(wrapped.string_at("$schema"), "https://json-schema.org/draft/2020-12/schema");
    const auto text_at = [&](std::string_view pointer) {
        const Json* found = wrapped.at_pointer(pointer);
        return found != nullptr && found->is_string() ? *found->if_string() : std::string("nothing");
    };
    const std::string root = "/properties/result";
    EXPECT_EQ(wrapped.at_pointer(root + "/$schema"), nullptr);
    EXPECT_EQ(text_at(root + "/items/$ref"), "#/properties/result/$defs/node");
    EXPECT_EQ(text_at(root + "/$defs/node/properties/next/$ref"), "#/properties/result/$defs/node");
    EXPECT_EQ(text_at(root + "/$defs/node/properties/all/$ref"), "#/properties/result");
    EXPECT_EQ(text_at(root + "/$defs/node/properties/named/$ref"), "#leaf");
    EXPECT_EQ(text_at(root + "/$defs/node/default/$ref"), "#/data");
    EXPECT_EQ(text_at(root + "/$defs/leaf/const/$ref"), "#/x");
    EXPECT_EQ(text_at(root + "/$defs/own/$ref"), "#/$defs/y");

    auto compiled = schema::Schema::compile(wrapped);
    ASSERT_TRUE(compiled) << compiled.error().to_string();
    EXPECT_TRUE(compiled->check(json(R"({"result":[{"next":{"next":{}}}]})")));
    EXPECT_FALSE(compiled->check(json(R"({"result":[{"next":3}]})")));
}

TEST(Older, AStructuredResultFollowsItsSchema) {
    const Json array = json(R"({"type":"array"})");
    const Json object = json(R"({"type":"object"})");
    const Json anything = json(R"({})");
    const Json list = json(R"({"resultType":"complete","content":[],"structuredContent":[1]})");
    EXPECT_EQ(call_result_for(list, k2025_11_25, &array),
              json(R"({"content":[{"type":"text","text":"[1]"}],"structuredContent":{"result":[1]}})"));
    EXPECT_EQ(call_result_for(list, k2025_03_26, &array), json(R"({"content":[{"type":"text","text":"[1]"}]})"));
    EXPECT_EQ(call_result_for(list, k2026_07_28, &array), list);
    // An object is wrapped if its schema allows other types too, like the schema itself.
    const Json value = json(R"({"content":[{"type":"text","text":"x"}],"structuredContent":{"a":1}})");
    EXPECT_EQ(*call_result_for(value, k2025_11_25, &anything).find("structuredContent"), json(R"({"result":{"a":1}})"));
    EXPECT_EQ(*call_result_for(value, k2025_11_25, &object).find("structuredContent"), json(R"({"a":1})"));
    EXPECT_EQ(*call_result_for(value, k2025_11_25).find("structuredContent"), json(R"({"a":1})"));
    EXPECT_EQ(call_result_for(json("{}"), k2025_11_25), json(R"({"content":[]})"));
}

TEST(Older, LinksAndAudioBecomeWhatTheRevisionHas) {
    const Json link = json(R"({"type":"resource_link","uri":"file:///a","name":"a","icons":[]})");
    EXPECT_EQ(content_for(link, k2025_03_26), json(R"({"type":"text","text":"a: file:///a"})"));
    EXPECT_EQ(content_for(link, k2025_06_18), json(R"({"type":"resource_link","uri":"file:///a","name":"a"})"));
    EXPECT_EQ(content_for(link, k2025_11_25), link);

    const Json audio = json(R"({"type":"audio","data":"AA==","mimeType":"audio/wav"})");
    EXPECT_EQ(content_for(audio, k2025_03_26), audio);
    EXPECT_EQ(content_for(audio, k2024_11_05),
              json(R"({"type":"resource","resource":{"uri":"audio:embedded","mimeType":"audio/wav","blob":"AA=="}})"));
    EXPECT_EQ(content_for(json(R"({"type":"text","text":"x","_meta":{"a":1}})"), k2025_03_26),
              json(R"({"type":"text","text":"x"})"));
}

TEST(Older, PromptsAndResourcesLoseTitlesAndIcons) {
    const Json prompt = json(R"({"name":"p","title":"P","icons":[],"arguments":[{"name":"a","title":"A"}]})");
    EXPECT_EQ(prompt_for(prompt, k2025_03_26), json(R"({"name":"p","arguments":[{"name":"a"}]})"));
    EXPECT_EQ(prompt_for(prompt, k2025_06_18),
              json(R"({"name":"p","title":"P","arguments":[{"name":"a","title":"A"}]})"));
    EXPECT_EQ(prompt_for(prompt, k2025_11_25), prompt);

    const Json resource = json(R"({"uri":"u:a","name":"a","title":"A","icons":[],
        "annotations":{"priority":1,"lastModified":"2026-01-01T00:00:00Z"}})");
    EXPECT_EQ(resource_for(resource, k2025_03_26), json(R"({"uri":"u:a","name":"a","annotations":{"priority":1}})"));
    EXPECT_EQ(resource_for(resource, k2025_11_25), resource);

    EXPECT_EQ(prompt_result_for(json(R"({"resultType":"complete","messages":[{"role":"user",
                  "content":{"type":"resource_link","uri":"u:a","name":"a"}}]})"),
                                k2024_11_05),
              json(R"({"messages":[{"role":"user","content":{"type":"text","text":"a: u:a"}}]})"));
    EXPECT_EQ(read_result_for(json(R"({"resultType":"complete","ttlMs":0,"cacheScope":"private",
                  "contents":[{"uri":"u:a","text":"x","_meta":{"a":1}}]})"),
                              k2025_03_26),
              json(R"({"contents":[{"uri":"u:a","text":"x"}]})"));
    EXPECT_EQ(progress_for(json(R"({"progress":1,"message":"m"})"), k2024_11_05), json(R"({"progress":1})"));
}

const char* const kForm =
    R"({"mode":"form","message":"m","requestedSchema":{"$schema":"x","type":"object","properties":{
    "one":{"type":"string","title":"One","oneOf":[{"const":"a","title":"A"},{"const":"b","title":"B"}]},
    "many":{"type":"array","description":"Pick.","items":{"anyOf":[{"const":"a","title":"A"},{"const":"b","title":"B"}]}},
    "plain":{"type":"array","items":{"type":"string","enum":["x","y"]}},
    "age":{"type":"integer","default":3},"yes":{"type":"boolean","default":true}}}})";

TEST(Older, AFormIsSimplifiedForTheFirstRevisionWithForms) {
    EXPECT_EQ(*elicit_params_for(json(kForm), k2025_11_25), json(kForm));
    EXPECT_EQ(*elicit_params_for(json(kForm), k2025_06_18),
              json(R"({"message":"m","requestedSchema":{"type":"object","properties":{
        "one":{"type":"string","title":"One","enum":["a","b"],"enumNames":["A","B"]},
        "many":{"type":"string","description":"Pick. Any of, separated by commas: a, b"},
        "plain":{"type":"string","description":"Any of, separated by commas: x, y"},
        "age":{"type":"integer"},"yes":{"type":"boolean","default":true}}}})"));
    EXPECT_EQ(elicit_params_for(json(kForm), k2025_03_26).error().code(), ErrorCode::kUnsupported);
    EXPECT_EQ(elicit_params_for(json(R"({"mode":"url","message":"m","url":"https://x"})"), k2025_06_18).error().code(),
              ErrorCode::kUnsupported);
}

TEST(Older, AMultiSelectAnsweredAsTextComesBackAsAList) {
    const Json schema = *json(kForm).find("requestedSchema");
    const Json answer = json(R"({"action":"accept","content":{"many":"a, b","one":"a,b"}})");
    EXPECT_EQ(elicit_result_from(answer, schema, k2025_06_18),
              json(R"({"action":"accept","content":{"many":["a","b"],"one":"a,b"}})"));
    EXPECT_EQ(elicit_result_from(answer, schema, k2025_11_25), answer);
}

TEST(Older, SamplingWithToolsNeedsAClientThatOffersThem) {
    const Json params = json(R"({"messages":[{"role":"user","content":{"type":"text","text":"x"}}],"maxTokens":1,
        "tools":[{"name":"t","inputSchema":{"type":"object"}}]})");
    ClientCapabilities plain;
    plain.sampling.emplace();
    ClientCapabilities able = plain;
    able.sampling->tools = JsonObject{};
    for (const Revision revision : kLegacy) {
        EXPECT_EQ(sampling_params_for(params, revision, plain).error().code(), ErrorCode::kUnsupported);
    }
    EXPECT_EQ(*sampling_params_for(params, k2025_11_25, able), params);
    EXPECT_FALSE(sampling_params_for(params, k2025_06_18, able));

    const Json several = json(R"({"messages":[{"role":"user","content":[{"type":"text","text":"x"},
        {"type":"text","text":"y"}]}],"maxTokens":1})");
    EXPECT_FALSE(sampling_params_for(several, k2025_06_18, plain));
    EXPECT_EQ(*sampling_params_for(several, k2025_11_25, plain), several);
    EXPECT_EQ(sampling_params_for(json(R"({"messages":[],"includeContext":"allServers"})"), k2025_11_25, plain)
                  ->find("includeContext"),
              nullptr);
}

}  // namespace
}  // namespace gantry::mcp
