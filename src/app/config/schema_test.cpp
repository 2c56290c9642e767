#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "app/config/test_schema.hpp"

namespace gantry::app {
namespace {

std::string manual() {
    std::ifstream in(std::string(GANTRY_SOURCE_DIR) + "/docs/configuration.md");
    return (std::ostringstream() << in.rdbuf()).str();
}

/// Calls `use(key, schema)` for every setting anywhere in the schema.
template <class Use>
void each_setting(const Json& schema, const Use& use) {
    if (const JsonArray* list = schema.if_array()) {
        for (const Json& element : *list) each_setting(element, use);
        return;
    }
    const JsonObject* object = schema.if_object();
    if (object == nullptr) return;
    for (const auto& [key, value] : *object) {
        if (key == "properties") {
            for (const auto& [name, setting] : *value.if_object()) use(name, setting);
        }
        each_setting(value, use);
    }
}

TEST(ConfigSchema, IsAJsonSchemaOf2020) {
    const auto metaschema =
        schema::Schema::compile(JsonObject{{"$ref", "https://json-schema.org/draft/2020-12/schema"}});
    ASSERT_TRUE(metaschema);
    const auto valid = metaschema->check(config_schema());
    EXPECT_TRUE(valid) << valid.error().message();
    EXPECT_EQ(config_schema().string_at("$schema"), "https://json-schema.org/draft/2020-12/schema");
    EXPECT_EQ(schema_refuses("servers: []"), "");
}

TEST(ConfigSchema, DescribesEverySetting) {
    std::size_t settings = 0;
    each_setting(config_schema(), [&](const std::string& key, const Json& setting) {
        ++settings;
        EXPECT_GT(setting.string_at("description").size(), 10u) << key << " is read without saying what it is for";
    });
    EXPECT_GT(settings, 50u);
}

TEST(ConfigSchema, TheManualNamesEverySetting) {
    const std::string text = manual();
    each_setting(config_schema(), [&](const std::string& key, const Json& setting) {
        if (setting.string_at("description").starts_with("Of other programs")) return;
        EXPECT_TRUE(text.contains(" " + key + ":") || text.contains("\n" + key + ":") ||
                    text.contains("{" + key + ":") || text.contains("`" + key + "`"))
            << key << " is missing in docs/configuration.md";
    });
}

TEST(ConfigSchema, TellsDefaultsAndChoices) {
    const Json schema = config_schema();
    const auto at = [&](const char* pointer) {
        const Json* found = schema.at_pointer(pointer);
        return found == nullptr ? Json() : *found;
    };
    // A file may be empty, so the settings are one of two things it may be.
    const std::string top = "/anyOf/1/properties";
    EXPECT_EQ(at((top + "/listen/default").c_str()), Json("127.0.0.1:8090"));
    EXPECT_EQ(at((top + "/timeout/default").c_str()), Json("30s"));
    EXPECT_EQ(at((top + "/limits/properties/max_result_bytes/default").c_str()), Json("64MB"));
    EXPECT_EQ(at((top + "/on_collision/anyOf/0/enum").c_str()), Json(JsonArray{"error", "suffix", "first"}));
    EXPECT_EQ(at((top + "/on_collision/default").c_str()), Json("suffix"));
    EXPECT_EQ(at("/$defs/server/properties/era/default"), Json("auto"));
    EXPECT_EQ(at("/$defs/server/properties/tool_filter/description"), Json("The same as `allow`."));
}

TEST(ConfigSchema, TakesEverySampleOfTheManual) {
    const std::string text = manual();
    std::size_t samples = 0;
    for (const std::string_view fence : {"```yaml\n", "```json\n"}) {
        for (std::size_t at = text.find(fence); at != std::string::npos; at = text.find(fence, at)) {
            at += fence.size();
            const std::string sample = text.substr(at, text.find("```", at) - at);
            EXPECT_EQ(schema_refuses(sample), "") << sample;
            EXPECT_TRUE(fence.contains("json") || sample.starts_with("# yaml-language-server: $schema=")) << sample;
            EXPECT_TRUE(parse_config(sample, "sample")) << sample;
            ++samples;
        }
    }
    EXPECT_GE(samples, 3u);
}

}  // namespace
}  // namespace gantry::app
