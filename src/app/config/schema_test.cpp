#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "app/config/test_schema.hpp"
#include "app/config/yaml.hpp"
#include "support/paths.hpp"

namespace gantry::app {
namespace {

std::string read_page(const std::string& page) {
    std::ifstream in(gantry::test_support::source_path("") + page);
    return (std::ostringstream() << in.rdbuf()).str();
}
std::string manual() {
    return read_page("docs/configuration.md");
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
    // A file may be empty, so the settings are one of two alternatives.
    const std::string top = "/anyOf/1/properties";
    EXPECT_EQ(at((top + "/listen/default").c_str()), Json("127.0.0.1:8090"));
    EXPECT_EQ(at((top + "/timeout/default").c_str()), Json("30s"));
    EXPECT_EQ(at((top + "/limits/properties/max_result_bytes/default").c_str()), Json("64MB"));
    EXPECT_EQ(at((top + "/on_collision/anyOf/0/enum").c_str()), Json(JsonArray{"error", "suffix", "first"}));
    EXPECT_EQ(at((top + "/on_collision/default").c_str()), Json("suffix"));
    EXPECT_EQ(at("/$defs/server/properties/era/default"), Json("auto"));
    EXPECT_EQ(at("/$defs/server/properties/tool_filter/description"), Json("The same as `allow`."));
}

/// Members whose value is not the schema's default, as pointers into the sample.
void note_other_values(const Json& value, const Json* schema, const std::string& pointer,
                       std::vector<std::string>& out) {
    if (schema == nullptr || !value.is_object()) return;
    for (const auto& [key, member] : *value.if_object()) {
        const std::string inner = pointer + "/" + key;
        const Json* const setting = schema->at_pointer("/properties/" + key);
        if (setting == nullptr) continue;
        const Json* const usual = setting->find("default");
        if (usual != nullptr && *usual != member) out.push_back(inner);
        note_other_values(member, setting, inner, out);
    }
}

/// The fenced blocks of that kind.
std::vector<std::string> samples_in(const std::string& text, std::string_view fence) {
    std::vector<std::string> samples;
    for (std::size_t at = text.find(fence); at != std::string::npos; at = text.find(fence, at)) {
        at += fence.size();
        samples.push_back(text.substr(at, text.find("```", at) - at));
    }
    return samples;
}

TEST(ConfigSchema, TakesEverySampleOfTheManual) {
    for (const char* page :
         {"docs/configuration.md", "docs/command-line.md", "docs/extensions.md", "docs/tour.md", "README.md"}) {
        for (const std::string& sample : samples_in(read_page(page), "```yaml\n")) {
            EXPECT_EQ(schema_refuses(sample), "") << page << ": " << sample;
            EXPECT_TRUE(sample.starts_with("# yaml-language-server: $schema=")) << page << ": " << sample;
            EXPECT_TRUE(parse_config(sample, "sample")) << page << ": " << sample;
        }
    }
    for (const std::string& sample : samples_in(manual(), "```json\n")) {
        EXPECT_EQ(schema_refuses(sample), "") << sample;
        EXPECT_TRUE(sample.contains(R"("$schema": "gantry.schema.json")")) << sample;
        EXPECT_TRUE(parse_config(sample, "sample")) << sample;
    }
    EXPECT_GE(samples_in(manual(), "```yaml\n").size(), 6u);
}

TEST(ConfigSchema, TheManualShowsDefaultsOrSaysThatAValueIsAnExample) {
    const Json schema = config_schema();
    const std::string sample = samples_in(manual(), "```yaml\n").at(0);
    const auto document = parse_yaml(sample);
    ASSERT_TRUE(document);
    std::vector<std::string> others;
    note_other_values(document->tree, schema.at_pointer("/anyOf/1"), "", others);
    const JsonArray& servers = *document->tree.find("servers")->if_array();
    for (std::size_t i = 0; i < servers.size(); ++i) {
        note_other_values(servers[i], schema.at_pointer("/$defs/listed_server"), "/servers/" + std::to_string(i),
                          others);
    }
    std::vector<std::string> lines;
    std::istringstream in(sample);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    for (const std::string& pointer : others) {
        const std::size_t line = document->place_of(pointer).line;
        EXPECT_TRUE(lines.at(line - 1).contains("example")) << pointer << " is not the default: " << lines.at(line - 1);
    }
}

TEST(ConfigSchema, TheManualHasASampleForEachTransport) {
    const std::string text = manual();
    const std::size_t from = text.find("## One sample for each transport");
    ASSERT_NE(from, std::string::npos);
    std::map<std::string, gateway::McpServerSpec> servers;
    for (const std::string& sample : samples_in(text.substr(from, text.find("\n## ", from + 1) - from), "```yaml\n")) {
        const auto config = parse_config(sample, "sample");
        ASSERT_TRUE(config) << config.error().to_string();
        for (const auto& server : config->servers) servers.emplace(server.name, server);
    }
    // A program limited to one folder and two tools; a search server; a secret bearer token; a legacy server.
    EXPECT_EQ(servers.at("files").command, "npx");
    EXPECT_EQ(servers.at("files").allow.size(), 2u);
    EXPECT_EQ(servers.at("files").isolation.read, std::vector<std::string>{"/srv/data"});
    EXPECT_EQ(servers.at("search").transport, gateway::WireWish::kStreamableHttp);
    EXPECT_EQ(servers.at("github").headers.at(0).second, "Bearer ${GITHUB_TOKEN}");
    EXPECT_EQ(servers.at("legacy").transport, gateway::WireWish::kSse);
}

}  // namespace
}  // namespace gantry::app
