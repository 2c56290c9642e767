#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gateway/catalog/cursor.hpp"
#include "gateway/catalog/test_sources.hpp"
#include "mcp/protocol/codec.hpp"

namespace gantry::gateway {
namespace {

using namespace test;
using mcp::Revision;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

CatalogPtr build(std::vector<SourceEntry> sources, std::size_t page_size = 1000) {
    NameBook book;
    return make_catalog(std::move(sources), {},
                        {.page_size = page_size, .self = {.name = "gantry", .version = "1"}, .max_ttl_ms = 60'000},
                        book);
}

std::vector<ItemPtr> numbered(int count) {
    std::vector<ItemPtr> items;
    for (int i = 0; i < count; ++i) items.push_back(tool("t" + std::to_string(100'000 + i)));
    return items;
}

std::vector<std::string> walk(const Catalog& catalog, std::optional<std::string> cursor = {}) {
    std::vector<std::string> all;
    do {
        const Json result = page(catalog, ItemKind::kTool, "", mcp::kLatestRevision, cursor);
        for (std::string& name : names(result)) all.push_back(std::move(name));
        const Json* next = result.find("nextCursor");
        cursor = next == nullptr ? std::nullopt : std::optional(*next->if_string());
    } while (cursor);
    return all;
}

TEST(Listing, IsTheWholeResultInTheClientsTerms) {
    const auto catalog = build({source("s", {tool("x")})});
    EXPECT_EQ(**catalog->list(ItemKind::kTool, "", Revision::k2026_07_28, {}),
              R"({"tools":[{"description":"does x","name":"s_x","inputSchema":{"type":"object"}}],)"
              R"("resultType":"complete","ttlMs":0,"cacheScope":"private",)"
              R"("_meta":{"io.modelcontextprotocol/serverInfo":{"name":"gantry","version":"1"}}})");
    EXPECT_EQ(**catalog->list(ItemKind::kTool, "", Revision::k2025_06_18, {}),
              R"({"tools":[{"description":"does x","name":"s_x","inputSchema":{"type":"object"}}]})");
    EXPECT_EQ(**catalog->list(ItemKind::kTemplate, "", Revision::k2025_06_18, {}), R"({"resourceTemplates":[]})");
}

TEST(Listing, TheCodecsReadEveryListOfEveryRevision) {
    const auto rich = item(ItemKind::kTool, "rich", R"({
        "name":"rich","title":"T","icons":[{"src":"https://x/y.png"}],"annotations":{"readOnlyHint":true},
        "inputSchema":{"type":"object","properties":{"n":{"maximum":1e400}}},"outputSchema":{"type":"array"}})");
    const auto old = item(ItemKind::kTool, "old",
                          R"({"name":"old","inputSchema":{"type":"object"},"execution":{"taskSupport":"optional"}})",
                          Revision::k2025_11_25);
    const auto catalog = build({source("s", {rich, old, prompt("p"), resource("x://1"), uri_template("x://{n}")})});
    for (const Revision revision : mcp::kAllRevisions) {
        const Json list = page(*catalog, ItemKind::kTool, "", revision);
        const auto tools = mcp::decode<mcp::ListToolsResult>(list, revision);
        ASSERT_TRUE(tools) << tools.error().message();
        ASSERT_EQ(tools->tools.size(), 2u);
        EXPECT_EQ(tools->tools[0].name, "s_old");
        EXPECT_EQ(tools->tools[0].execution.has_value(), revision == Revision::k2025_11_25);
        EXPECT_EQ(tools->tools[1].title.has_value(), revision >= Revision::k2025_06_18);
        EXPECT_EQ(tools->tools[1].icons.empty(), revision < Revision::k2025_11_25);
        EXPECT_EQ(tools->tools[1].annotations.has_value(), revision >= Revision::k2025_03_26);
        EXPECT_EQ(tools->tools[1].output_schema.has_value(), revision >= Revision::k2025_06_18);
        if (tools->tools[1].output_schema) {
            EXPECT_EQ(tools->tools[1].output_schema->string_at("type"), mcp::is_modern(revision) ? "array" : "object");
        }
        EXPECT_TRUE(mcp::decode<mcp::ListPromptsResult>(page(*catalog, ItemKind::kPrompt, "", revision), revision));
        EXPECT_TRUE(mcp::decode<mcp::ListResourcesResult>(page(*catalog, ItemKind::kResource, "", revision), revision));
        EXPECT_TRUE(
            mcp::decode<mcp::ListResourceTemplatesResult>(page(*catalog, ItemKind::kTemplate, "", revision), revision));
        EXPECT_THAT(**catalog->list(ItemKind::kTool, "", revision, {}), HasSubstr("1e400"));
        EXPECT_THAT(**catalog->list(ItemKind::kTool, "", revision, {}), Not(HasSubstr("\n")));
        EXPECT_EQ(list.find("resultType") != nullptr, mcp::is_modern(revision));
    }
}

TEST(Listing, UnchangedDefinitionsComeByteForByte) {
    const std::string text = R"({"x-own" : [1.50, "é\/"],"name":"\u0078","inputSchema":{"type":"object"}})";
    const auto catalog = build({source("s", {item(ItemKind::kTool, "x", text)})});
    EXPECT_THAT(**catalog->list(ItemKind::kTool, "", Revision::k2026_07_28, {}),
                HasSubstr(R"([{"x-own" : [1.50, "é\/"],"name":"s_x","inputSchema":{"type":"object"}}])"));
    EXPECT_THAT(**catalog->list(ItemKind::kTool, "servers/s", Revision::k2026_07_28, {}), HasSubstr(text));
}

TEST(Listing, APageIsMadeOnce) {
    const auto catalog = build({source("s", numbered(5))}, 2);
    const auto first = *catalog->list(ItemKind::kTool, "", mcp::kLatestRevision, {});
    EXPECT_EQ(first, *catalog->list(ItemKind::kTool, "", mcp::kLatestRevision, {}));
    const std::string cursor(page(*catalog, ItemKind::kTool).string_at("nextCursor"));
    EXPECT_EQ(*catalog->list(ItemKind::kTool, "", mcp::kLatestRevision, cursor),
              *catalog->list(ItemKind::kTool, "", mcp::kLatestRevision, cursor));
}

TEST(Listing, PagesTogetherAreTheList) {
    for (const int count : {0, 1, 2, 3, 4, 7}) {
        const auto catalog = build({source("s", numbered(count))}, 2);
        EXPECT_EQ(walk(*catalog).size(), static_cast<std::size_t>(count));
    }
}

TEST(Listing, ACursorLeadsOnAfterASwapWithoutGapOrRepetition) {
    const auto before = build({source("s", numbered(6))}, 3);
    const std::string cursor(page(*before, ItemKind::kTool).string_at("nextCursor"));
    // The item the cursor names is gone, and there are new items before and after it.
    auto items = numbered(6);
    items.erase(items.begin() + 2);
    items.push_back(tool("a"));
    items.push_back(tool("t1000035"));
    const auto after = build({source("s", items), source("a", {tool("early")})}, 3);
    EXPECT_THAT(walk(*after, cursor), ElementsAre("s_t100003", "s_t1000035", "s_t100004", "s_t100005"));
}

TEST(Listing, ACursorBehindTheEndIsAnEmptyPage) {
    const auto catalog = build({source("s", numbered(4))}, 2);
    EXPECT_TRUE(walk(*catalog, encode_cursor(ItemKind::kTool, "zzz")).empty());
    EXPECT_EQ(walk(*catalog, encode_cursor(ItemKind::kTool, "")).size(), 4u);
}

TEST(Listing, RefusesCursorsThatWereNotMadeHere) {
    const auto catalog = build({source("s", numbered(4))}, 2);
    for (const std::string& cursor : {std::string(), std::string("x"), std::string("1"), std::string("2tYWJj"),
                                      std::string("1tYWJ"), std::string("1tYW=="), std::string("1t++++"),
                                      std::string("1t\xff"), encode_cursor(ItemKind::kPrompt, "s_t100000")}) {
        const auto list = catalog->list(ItemKind::kTool, "", mcp::kLatestRevision, cursor);
        ASSERT_FALSE(list) << cursor;
        EXPECT_EQ(list.error().code(), ErrorCode::kInvalidArgument);
    }
}

TEST(Listing, CursorsAreUrlSafe) {
    for (int byte = 0; byte < 256; ++byte) {
        const std::string name = std::string("x:") + static_cast<char>(byte) + "?>~\xfb\xff";
        const std::string cursor = encode_cursor(ItemKind::kResource, name);
        EXPECT_EQ(cursor.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"),
                  std::string::npos);
        EXPECT_EQ(decode_cursor(ItemKind::kResource, cursor).value_or(""), name);
    }
}

TEST(Listing, PromisesNoMoreThanItsParts) {
    const auto stamps = [](std::vector<SourceEntry> sources) {
        const Json list = page(*build(std::move(sources)), ItemKind::kTool);
        return list.find("ttlMs")->dump() + " " + std::string(list.string_at("cacheScope"));
    };
    const SourceEntry silent = source("silent", {tool("x")});
    const SourceEntry tells =
        with(source("tells", {tool("x")}), [](Inventory& i) { i.capabilities.tools->list_changed = true; });
    const SourceEntry promises = with(source("promises", {tool("x")}), [](Inventory& i) {
        i.ttl_ms = 5'000;
        i.is_public = true;
    });
    const SourceEntry lavish = with(source("lavish", {tool("x")}), [](Inventory& i) {
        i.ttl_ms = 86'400'000;
        i.is_public = true;
    });
    EXPECT_EQ(stamps({silent}), "0 private");
    EXPECT_EQ(stamps({tells}), "60000 private");
    EXPECT_EQ(stamps({promises}), "5000 public");
    EXPECT_EQ(stamps({lavish}), "60000 public") << "no more than we are allowed to promise";
    EXPECT_EQ(stamps({promises, lavish}), "5000 public");
    EXPECT_EQ(stamps({promises, tells}), "5000 private");
    EXPECT_EQ(stamps({promises, silent}), "0 private");
    EXPECT_EQ(stamps({}), "0 private");
    EXPECT_EQ(stamps({promises, down("down")}), "5000 public");
}

TEST(Listing, ModernClientsDoNotSeeToolsWithUnusableHeaderMarks) {
    const auto marked = [](std::string name, std::string mark) {
        return item(ItemKind::kTool, name,
                    R"({"name":")" + name + R"(","inputSchema":{"type":"object","properties":{"a":{"type":"string",)" +
                        mark + "}}}}");
    };
    const auto catalog =
        build({source("s", {marked("bad", R"("x-mcp-header":"with space")"), marked("sly", R"("x-mcp\u002dheader":"")"),
                            marked("good", R"("x-mcp-header":"Region")"), tool("plain")})},
              2);
    EXPECT_THAT(walk(*catalog), ElementsAre("s_good", "s_plain"));
    EXPECT_THAT(names(page(*catalog, ItemKind::kTool, "", Revision::k2025_11_25)), ElementsAre("s_bad", "s_good"));
    ASSERT_EQ(catalog->problems().size(), 2u);
    EXPECT_THAT(catalog->problems()[0].what, HasSubstr("'bad' is not shown to clients of 2026-07-28"));
    EXPECT_TRUE(catalog->find(ItemKind::kTool, "", "s_bad"));
}

TEST(Listing, ThePlainListSaysWhoseATool) {
    const auto catalog = build({source("s", {tool("x")}), bare("t", {item(ItemKind::kTool, "y", R"({"name":"y"})")})});
    EXPECT_EQ(*catalog->plain_tools(""),
              R"({"tools":[{"name":"s_x","description":"does x","server":"s","inputSchema":{"type":"object"}},)"
              R"({"name":"y","server":"t","inputSchema":{"type":"object"}}]})");
    EXPECT_THAT(*catalog->plain_tools("servers/s"), HasSubstr(R"("name":"x")"));
    EXPECT_EQ(*catalog->plain_tools("nowhere"), R"({"tools":[]})");
}

TEST(Listing, ASingleServersScopeKeepsTheServersOrderOverPages) {
    const std::vector<std::string> order = {"m", "a", "z", "b", "y"};
    std::vector<ItemPtr> items;
    for (const std::string& name : order) items.push_back(tool(name));
    const auto catalog = build({source("other", {tool("c")}), source("s", items)}, 2);
    std::vector<std::string> all;
    std::optional<std::string> cursor;
    do {
        const Json result = page(*catalog, ItemKind::kTool, "servers/s", mcp::kLatestRevision, cursor);
        for (std::string& name : names(result)) all.push_back(std::move(name));
        const Json* next = result.find("nextCursor");
        cursor = next == nullptr ? std::nullopt : std::optional(*next->if_string());
    } while (cursor);
    EXPECT_EQ(all, order);
    EXPECT_FALSE(
        catalog->list(ItemKind::kTool, "servers/s", mcp::kLatestRevision, encode_cursor(ItemKind::kTool, "gone")))
        << "there is no place for what is not in the list";
}

TEST(Listing, TenThousandToolsAreListedFoundAndRenamed) {
    NameBook book;
    std::vector<SourceEntry> sources;
    for (int s = 0; s < 10; ++s) sources.push_back(source("server" + std::to_string(s), numbered(1000)));
    const CatalogRules rules{.page_size = 1000, .self = {.name = "g"}};
    const auto catalog = make_catalog(sources, {{.name = "some", .tools = {"*7"}}}, rules, book);
    EXPECT_EQ(catalog->size(ItemKind::kTool, ""), 10'000u);
    EXPECT_EQ(catalog->size(ItemKind::kTool, "groups/some"), 1'000u);
    const auto all = walk(*catalog);
    ASSERT_EQ(all.size(), 10'000u);
    EXPECT_TRUE(std::ranges::is_sorted(all));
    for (const std::string& name : all) ASSERT_TRUE(catalog->find(ItemKind::kTool, "", name)) << name;
    NameBook loaded = *NameBook::from_json(book.to_json());
    EXPECT_EQ(walk(*make_catalog(sources, {}, rules, loaded)), all);
    EXPECT_EQ(loaded.edition(), 0u);
}

}  // namespace
}  // namespace gantry::gateway
