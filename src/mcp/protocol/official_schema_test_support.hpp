#pragma once
// Validates our encodings against the official schema of every revision.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "base/schema/schema.hpp"
#include "base/try.hpp"
#include "mcp/protocol/codec.hpp"
#include "mcp/protocol/errors.hpp"
#include "mcp/protocol/message.hpp"
#include "mcp/protocol/meta.hpp"
#include "mcp/protocol/method.hpp"
#include "support/paths.hpp"

namespace gantry::mcp {

using enum Revision;

inline const std::filesystem::path kSchemas = gantry::test_support::source_path("../shared/mcp-schema");

class OfficialSchema : public testing::Test {
protected:
    void SetUp() override {
        if (!std::filesystem::exists(kSchemas / "2026-07-28.json"))
            GTEST_SKIP() << "the official MCP schemas are not here";
    }

    static const Json& document(const std::string& name) {
        static std::map<std::string, Json> loaded;
        auto& json = loaded[name];
        if (json.is_null()) {
            std::ifstream file(kSchemas / (name + ".json"));
            std::stringstream text;
            text << file.rdbuf();
            json = Json::parse(text.str()).value();
        }
        return json;
    }

    static Result<void> check(const std::string& name, const std::string& definition, const Json& value) {
        Json schema = document(name);
        const std::string definitions = schema.find("$defs") != nullptr ? "$defs" : "definitions";
        if (schema.find(definitions)->find(definition) == nullptr)
            return fail(ErrorCode::kNotFound, "no such definition");
        schema.if_object()->set("$ref", "#/" + definitions + "/" + definition);
        GANTRY_TRY(const auto compiled, schema::Schema::compile(schema));
        return compiled.check(value);
    }

    /// Fails the test unless `value` satisfies the definition.
    static void expect_fits(const std::string& name, const std::string& definition, const Json& value) {
        const auto checked = check(name, definition, value);
        EXPECT_TRUE(checked) << name << " " << definition << ": " << (checked ? "" : checked.error().message()) << "\n"
                             << value.pretty();
    }

    template <class T>
    static void result(const std::string& definition, const T& value, Revision first, Revision last = k2026_07_28) {
        for (const Revision revision : kAllRevisions) {
            if (revision < first || revision > last) continue;
            expect_fits(std::string(to_string(revision)), definition, encode(value, revision));
        }
    }

    template <class T>
    static void request(const std::string& definition, std::string_view method, const T& value, Revision first,
                        Revision last = k2026_07_28) {
        for (const Revision revision : kAllRevisions) {
            if (revision < first || revision > last) continue;
            EXPECT_TRUE(find_method(method, revision)) << method;
            Json params = encode(value, revision);
            RequestMeta meta;
            meta.client_info =
                Implementation{.name = "c", .version = "1", .title = "C", .icons = {{.src = "https://i"}}};
            meta.capabilities = client_capabilities();
            meta.log_level = LogLevel::kInfo;
            meta.progress_token = "t";
            stamp_meta(params, revision, meta);
            const std::string line = encode_message(RequestMessage{"id", std::string(method), std::move(params)});
            expect_fits(std::string(to_string(revision)), definition, Json::parse(line).value());
        }
    }

    template <class T>
    static void notification(const std::string& definition, std::string_view method, const T& value, Revision first,
                             Revision last = k2026_07_28) {
        for (const Revision revision : kAllRevisions) {
            if (revision < first || revision > last) continue;
            EXPECT_TRUE(find_method(method, revision)) << method;
            const std::string line = encode_message(NotificationMessage{std::string(method), encode(value, revision)});
            expect_fits(std::string(to_string(revision)), definition, Json::parse(line).value());
        }
    }

    static ClientCapabilities client_capabilities() {
        ClientCapabilities all;
        all.roots.emplace().list_changed = true;
        all.sampling.emplace().tools = JsonObject{};
        all.sampling->context = JsonObject{};
        all.elicitation.emplace().form = JsonObject{};
        all.elicitation->url = JsonObject{};
        all.tasks.emplace().list = JsonObject{};
        all.tasks->requests = JsonObject{{"sampling", JsonObject{{"createMessage", JsonObject{}}}}};
        all.experimental.set("e", JsonObject{{"k", 1}});
        all.extensions.set(std::string(kTasksExtension), JsonObject{});
        return all;
    }

    static ServerCapabilities server_capabilities() {
        ServerCapabilities all;
        all.tools.emplace().list_changed = true;
        all.prompts.emplace();
        all.resources.emplace().subscribe = true;
        all.completions = JsonObject{};
        all.logging = JsonObject{};
        all.tasks.emplace().cancel = JsonObject{};
        all.tasks->requests = JsonObject{{"tools", JsonObject{{"call", JsonObject{}}}}};
        all.experimental.set("e", JsonObject{});
        all.extensions.set("x/y", JsonObject{});
        return all;
    }

    static Annotations annotations() {
        return {.audience = {Role::kUser, Role::kAssistant}, .priority = 0.5, .last_modified = "2025-01-12T15:00:58Z"};
    }

    static Tool tool() {
        Tool all{.name = "t", .title = "T", .description = "d"};
        all.output_schema = JsonObject{{"type", "object"}};
        all.annotations = ToolAnnotations{.title = "T",
                                          .read_only_hint = true,
                                          .destructive_hint = false,
                                          .idempotent_hint = true,
                                          .open_world_hint = false};
        all.execution.emplace().task_support = TaskSupport::kOptional;
        all.icons = {{.src = "https://i", .mime_type = "image/png", .sizes = {"48x48"}, .theme = IconTheme::kDark}};
        all.meta.set("k", 1);
        return all;
    }

    /// The content each revision allows: audio since the second, links since the third.
    static std::vector<Content> content(Revision revision) {
        std::vector<Content> blocks = {
            TextContent{.text = "x", .annotations = annotations()},
            ImageContent{.data = "AA==", .mime_type = "image/png"},
            EmbeddedResource{.resource = {.uri = "file:///a", .mime_type = "text/plain", .text = "x"}},
            EmbeddedResource{.resource = {.uri = "file:///a", .blob = "AA=="}, .annotations = annotations()}};
        if (revision >= k2025_03_26) blocks.push_back(AudioContent{.data = "AA==", .mime_type = "audio/wav"});
        if (revision >= k2025_06_18) blocks.push_back(ResourceLink{{.uri = "file:///a", .name = "a", .size = 3}});
        return blocks;
    }

    static ElicitParams form() {
        return {
            .message = "m",
            .requested_schema = Json::parse(R"({"type":"object","required":["a"],"properties":{"a":{"type":"string"},
                    "n":{"type":"integer","minimum":1},"b":{"type":"boolean","default":true},"e":{"type":"string","enum":["x"]}}})")
                                    .value()};
    }

    static TaskState task(TaskStatus status) {
        TaskState all{.task_id = "t",
                      .status = status,
                      .status_message = "s",
                      .created_at = "2025-11-25T10:30:00Z",
                      .last_updated_at = "2025-11-25T10:30:00Z"};
        all.poll_interval_ms = 500;
        return all;
    }
};

}  // namespace gantry::mcp
