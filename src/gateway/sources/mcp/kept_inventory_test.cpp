#include "gateway/sources/mcp/kept_inventory.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/schema/schema.hpp"
#include "gantry/json.hpp"
#include "gateway/sources/mcp/inventory.hpp"

namespace gantry::gateway {
namespace {

ItemPtr item(ItemKind kind, const char* definition, mcp::Revision revision = mcp::kLatestRevision) {
    return read_item(kind, Json::parse(definition).value(), revision, true).value();
}

Inventory everything() {
    Inventory inventory;
    inventory.items = {
        item(
            ItemKind::kTool,
            R"({"name":"echo","inputSchema":{"type":"object","required":["word"]},"annotations":{"readOnlyHint":true},"odd":1.50})"),
        item(ItemKind::kTool,
             R"({"name":"slow","inputSchema":{"type":"object"},"execution":{"taskSupport":"required"}})",
             mcp::Revision::k2025_11_25),
        item(ItemKind::kPrompt, R"({"name":"echo"})"),
        item(ItemKind::kResource, R"({"name":"m","uri":"x://m"})"),
        item(ItemKind::kTemplate, R"({"name":"t","uriTemplate":"x://{t}"})"),
    };
    inventory.capabilities.tools.emplace();
    inventory.capabilities.tools->list_changed = true;
    inventory.instructions = "Say \"please\".";
    inventory.ttl_ms = 60'000;
    inventory.is_public = true;
    inventory.modern = true;
    return inventory;
}

TEST(KeptInventory, ComesBackAsItWas) {
    const Inventory before = everything();
    const auto restored = restore_inventory(write_inventory(before));
    ASSERT_TRUE(restored) << restored.error().message();
    const Inventory& after = **restored;
    ASSERT_EQ(after.items.size(), before.items.size());
    for (std::size_t i = 0; i < before.items.size(); ++i) {
        EXPECT_EQ(after.items[i]->kind, before.items[i]->kind);
        EXPECT_EQ(after.items[i]->name, before.items[i]->name);
        EXPECT_EQ(after.items[i]->text, before.items[i]->text);
        EXPECT_EQ(after.items[i]->revision, before.items[i]->revision);
    }
    EXPECT_TRUE(after.items[0]->hints.read_only);
    EXPECT_NE(after.items[0]->input_schema, nullptr) << "arguments are checked without the server too";
    EXPECT_EQ(after.items[1]->task_use, TaskUse::kRequired);
    EXPECT_EQ(after.capabilities, before.capabilities);
    EXPECT_EQ(after.instructions, before.instructions);
    EXPECT_TRUE(after.modern && after.is_public);
    EXPECT_EQ(after.ttl_ms, 0) << "nobody asked the server: it may have changed";
}

TEST(KeptInventory, WhatIsNotWholeIsRefused) {
    const std::string good = write_inventory(everything());
    EXPECT_FALSE(restore_inventory(good.substr(0, good.size() / 2)));
    for (
        const char* const broken : {
            "",
            "[]",
            "{}",
            R"({"format":2,"modern":true,"public":true,"capabilities":{},"items":[]})",
            R"({"format":1,"modern":1,"public":true,"capabilities":{},"items":[]})",
            R"({"format":1,"modern":true,"public":true,"capabilities":{}})",
            R"({"format":1,"modern":true,"public":true,"capabilities":{},"items":[{"kind":"spell"}]})",
            R"({"format":1,"modern":true,"public":true,"capabilities":{},"items":[{"kind":"prompt","revision":"1999-01-01","definition":{"name":"a"}}]})",
            R"({"format":1,"modern":true,"public":true,"capabilities":{},"items":[{"kind":"prompt","revision":"2026-07-28","definition":{}}]})",
            R"({"format":1,"modern":true,"public":true,"capabilities":{},"items":[{"kind":"prompt","revision":"2026-07-28","definition":{"name":"a"}},{"kind":"prompt","revision":"2026-07-28","definition":{"name":"a"}}]})",
        }) {
        EXPECT_FALSE(restore_inventory(broken)) << broken;
    }
}

}  // namespace
}  // namespace gantry::gateway
