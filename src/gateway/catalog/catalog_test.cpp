#include "gateway/catalog/catalog.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gateway/catalog/test_sources.hpp"

namespace gantry::gateway {
namespace {

using namespace test;
using testing::ElementsAre;
using testing::HasSubstr;
using Strings = std::vector<std::string>;

CatalogPtr build(const std::vector<SourceEntry>& sources, NameBook& book, OnCollision rule = OnCollision::kSuffix,
                 std::vector<GroupSpec> groups = {}) {
    return make_catalog(sources, std::move(groups), {.on_collision = rule, .self = {.name = "g"}}, book);
}
CatalogPtr build(std::vector<SourceEntry> sources, OnCollision rule = OnCollision::kSuffix,
                 std::vector<GroupSpec> groups = {}) {
    NameBook book;
    return build(std::move(sources), book, rule, std::move(groups));
}

/// The source that has it, and its own name there: "a:x"; "-": none.
std::string found(const Catalog& catalog, const std::vector<SourceEntry>& sources, ItemKind kind, std::string_view name,
                  std::string_view scope = "") {
    const auto hit = catalog.find(kind, scope, name);
    if (!hit) return "-";
    if (hit->source >= sources.size()) return "no source";
    return sources[hit->source].source_name + ":" + std::string(hit->own_name) + (hit->item ? "" : "?");
}

TEST(Catalog, OffersEverythingUnderPrefixedNames) {
    const std::vector sources{source("github", {tool("search"), prompt("review"), resource("file:///a")}),
                              source("jira", {tool("search")})};
    const auto catalog = build(sources);
    EXPECT_THAT(tools_of(*catalog), ElementsAre("github_search", "jira_search"));
    EXPECT_THAT(names(page(*catalog, ItemKind::kPrompt), "prompts"), ElementsAre("github_review"));
    EXPECT_THAT(names(page(*catalog, ItemKind::kResource), "resources", "uri"), ElementsAre("file:///a"));
    EXPECT_EQ(found(*catalog, sources, ItemKind::kTool, "jira_search"), "jira:search");
    EXPECT_EQ(found(*catalog, sources, ItemKind::kTool, "search"), "-");
    EXPECT_EQ(found(*catalog, sources, ItemKind::kPrompt, "github_search"), "-");
    EXPECT_EQ(catalog->size(ItemKind::kTool, ""), 2u);
    EXPECT_TRUE(catalog->problems().empty());
}

TEST(Catalog, FindsByLookupSoThatPrefixesCannotBeConfused) {
    const std::vector sources{source("a_b", {tool("d")}), source("a", {tool("b_c")})};
    const auto catalog = build(sources);
    EXPECT_EQ(found(*catalog, sources, ItemKind::kTool, "a_b_c"), "a:b_c");
    EXPECT_EQ(found(*catalog, sources, ItemKind::kTool, "a_b_d"), "a_b:d");
}

TEST(Catalog, ATrueCollisionIsSettledByTheRule) {
    const std::vector sources{source("a_b", {tool("c"), tool("other")}), source("a", {tool("b_c")})};
    const auto suffix = build(sources, OnCollision::kSuffix);
    EXPECT_THAT(tools_of(*suffix), ElementsAre("a_b_c", "a_b_c_a", "a_b_other"));
    EXPECT_EQ(found(*suffix, sources, ItemKind::kTool, "a_b_c"), "a_b:c");
    EXPECT_EQ(found(*suffix, sources, ItemKind::kTool, "a_b_c_a"), "a:b_c");
    for (const auto rule : {OnCollision::kError, OnCollision::kFirst}) {
        const auto hiding = build(sources, rule);
        EXPECT_THAT(tools_of(*hiding), ElementsAre("a_b_c", "a_b_other"));
        EXPECT_EQ(found(*hiding, sources, ItemKind::kTool, "a_b_c"), "a_b:c");
        EXPECT_EQ(found(*hiding, sources, ItemKind::kTool, "b_c", "servers/a"), "a:b_c") << "there nothing collides";
        ASSERT_EQ(hiding->problems().size(), 1u);
        EXPECT_EQ(hiding->problems()[0].source, "a");
        EXPECT_THAT(hiding->problems()[0].what, HasSubstr("taken by server 'a_b'; left out"));
    }
}

TEST(Catalog, NamesThatOnlyOurCharactersMakeAlikeAllStay) {
    const std::vector sources{source("s", {tool("a.b"), tool("a/b")})};
    const auto catalog = build(sources, OnCollision::kError);
    ASSERT_EQ(catalog->size(ItemKind::kTool, ""), 2u);
    EXPECT_EQ(found(*catalog, sources, ItemKind::kTool, "s_a_b"), "s:a.b");
    EXPECT_EQ(found(*catalog, sources, ItemKind::kTool, tools_of(*catalog)[1]), "s:a/b");
}

TEST(Catalog, AnUnprefixedSourceKeepsItsNames) {
    const std::vector sources{bare("s", {tool("a.b/c-D_9"), tool(std::string(128, 'x'))})};
    const auto catalog = build(sources);
    EXPECT_THAT(tools_of(*catalog), ElementsAre("a.b/c-D_9", std::string(128, 'x')));
}

TEST(Catalog, NamesAndOrderStayWhenASourceIsAddedEarlierInTheFile) {
    NameBook book;
    const SourceEntry old = bare("old", {tool("search"), tool("zeta"), resource("x://same")});
    const Strings before = tools_of(*build({old}, book));
    // A restart in between: only what was saved is known.
    NameBook loaded = *NameBook::from_json(book.to_json());
    const std::vector sources{bare("new", {tool("search"), tool("alpha"), resource("x://same")}), old};
    const auto catalog = build(sources, loaded);
    EXPECT_THAT(tools_of(*catalog), ElementsAre("alpha", "search", "search_new", "zeta"));
    EXPECT_EQ(found(*catalog, sources, ItemKind::kTool, "search"), "old:search");
    EXPECT_EQ(found(*catalog, sources, ItemKind::kTool, "search_new"), "new:search");
    EXPECT_EQ(found(*catalog, sources, ItemKind::kResource, "x://same"), "old:x://same");
    EXPECT_EQ(found(*catalog, sources, ItemKind::kResource, "via-new+x://same"), "new:x://same");
    EXPECT_THAT(before, ElementsAre("search", "zeta"));
}

TEST(Catalog, ASourceThatIsDownKeepsItsNamesAndGetsThemBack) {
    NameBook book;
    const SourceEntry first = bare("first", {tool("x")});
    const SourceEntry second = bare("second", {tool("x")});
    build({first}, book);
    const auto without = build({down("first"), second}, book);
    EXPECT_THAT(tools_of(*without), ElementsAre("x_second")) << "nobody gets to answer for what is merely down";
    NameBook loaded = *NameBook::from_json(book.to_json());
    const std::vector sources{second, first};
    const auto back = build(sources, loaded);
    EXPECT_EQ(found(*back, sources, ItemKind::kTool, "x"), "first:x");
    EXPECT_EQ(found(*back, sources, ItemKind::kTool, "x_second"), "second:x");
}

TEST(Catalog, ARemovedSourceLeavesItsNamesToOthersButGetsThemBackIfNobodyWantedThem) {
    NameBook book;
    const SourceEntry old = bare("old", {tool("x"), tool("y")});
    build({old}, book);
    const SourceEntry renamed = bare("renamed", {tool("x")});
    EXPECT_THAT(tools_of(*build({renamed}, book, OnCollision::kError)), ElementsAre("x"));
    const std::vector sources{renamed, old};
    const auto both = build(sources, book);
    EXPECT_EQ(found(*both, sources, ItemKind::kTool, "x"), "renamed:x");
    EXPECT_EQ(found(*both, sources, ItemKind::kTool, "y"), "old:y");
    EXPECT_EQ(found(*both, sources, ItemKind::kTool, "x_old"), "old:x");
}

TEST(Catalog, BeforeNamesAreCommittedTheOrderOfTheFileDecidesNotWhoIsQuicker) {
    NameBook book;
    const SourceEntry first = bare("first", {tool("x")});
    const SourceEntry second = bare("second", {tool("x")});
    EXPECT_THAT(tools_of(*build({down("first"), second}, book)), ElementsAre("x"));
    book.roll_back();
    const std::vector sources{first, second};
    const auto both = build(sources, book);
    EXPECT_EQ(found(*both, sources, ItemKind::kTool, "x"), "first:x");
    EXPECT_EQ(found(*both, sources, ItemKind::kTool, "x_second"), "second:x");
}

TEST(Catalog, ALoserKeepsItsOtherNameWhenTheWinnerGoes) {
    NameBook book;
    const SourceEntry a = bare("a", {tool("x")});
    const SourceEntry b = bare("b", {tool("x")});
    build({a, b}, book);
    EXPECT_THAT(tools_of(*build({b}, book)), ElementsAre("x_b"));
    EXPECT_THAT(tools_of(*build({b, a}, book)), ElementsAre("x", "x_b"));
}

TEST(Catalog, AnotherPrefixGivesOtherNames) {
    NameBook book;
    SourceEntry s = source("s", {tool("x")});
    build({s}, book);
    s.prefix = "p";
    EXPECT_THAT(tools_of(*build({s}, book)), ElementsAre("p_x"));
}

TEST(Catalog, LeavesOutWhatTheRulesRefuse) {
    SourceEntry s = source("s", {tool("get_x"), tool("get_secret"), tool("delete_x"), resource("file:///a")});
    s.allow = {"get_*"};
    s.deny = {"*secret*"};
    const std::vector sources{s};
    const auto catalog = build(sources);
    EXPECT_THAT(tools_of(*catalog), ElementsAre("s_get_x"));
    EXPECT_EQ(catalog->size(ItemKind::kResource, ""), 0u);
    EXPECT_EQ(found(*catalog, sources, ItemKind::kTool, "delete_x", "servers/s"), "-");
    EXPECT_EQ(found(*catalog, sources, ItemKind::kResource, "file:///a"), "-") << "not even as an unlisted one";
}

TEST(Catalog, ResourcesGoWhereTheirUriLeads) {
    SourceEntry files = source("files", {resource("file:///a"), uri_template("file:///{+path}")});
    files.deny = {"file:///etc/*"};
    const std::vector sources{files, source("db", {uri_template("db://{table}"), uri_template("db://users{/id}")}),
                              source("notes", {tool("x")})};
    const auto catalog = build(sources);
    const auto where = [&](std::string_view uri) { return found(*catalog, sources, ItemKind::kResource, uri); };
    EXPECT_EQ(where("file:///a"), "files:file:///a");
    EXPECT_EQ(where("file:///b/c"), "files:file:///b/c?");
    EXPECT_EQ(where("file:///etc/passwd"), "-");
    EXPECT_EQ(where("db://users/7"), "db:db://users/7?");
    EXPECT_EQ(where("web://x"), "-") << "three sources offer resources, so nobody is meant";
    EXPECT_EQ(where("via-notes+web://x"), "notes:web://x?");
    EXPECT_EQ(where("via-files+file:///etc/passwd"), "-");
    EXPECT_EQ(found(*catalog, sources, ItemKind::kResource, "web://x", "servers/db"), "db:web://x?");
    EXPECT_EQ(found(*catalog, sources, ItemKind::kTemplate, "db://{table}"), "db:db://{table}");
    const auto lone = build({sources[2]});
    EXPECT_EQ(found(*lone, {sources[2]}, ItemKind::kResource, "web://x"), "notes:web://x?");
}

TEST(Catalog, TwoSourcesWithOneUriAreToldApart) {
    const std::vector sources{source("a", {resource("x://1"), uri_template("x://t/{n}")}),
                              source("b", {resource("x://1"), uri_template("x://t/{n}"), resource("x://2")})};
    const auto catalog = build(sources);
    EXPECT_THAT(names(page(*catalog, ItemKind::kResource), "resources", "uri"),
                ElementsAre("via-b+x://1", "x://1", "x://2"));
    EXPECT_THAT(names(page(*catalog, ItemKind::kTemplate), "resourceTemplates", "uriTemplate"),
                ElementsAre("via-b+x://t/{n}", "x://t/{n}"));
    EXPECT_EQ(found(*catalog, sources, ItemKind::kResource, "via-b+x://1"), "b:x://1");
    EXPECT_EQ(found(*catalog, sources, ItemKind::kResource, "via-b+x://t/5"), "b:x://t/5?");
    EXPECT_EQ(found(*catalog, sources, ItemKind::kResource, "x://t/5"), "a:x://t/5?");
    EXPECT_EQ(found(*catalog, sources, ItemKind::kTemplate, "via-b+x://t/{n}"), "b:x://t/{n}");
    EXPECT_EQ(catalog->public_uri("a", "x://1"), "x://1");
    EXPECT_EQ(catalog->public_uri("b", "x://1"), "via-b+x://1");
    EXPECT_EQ(catalog->public_uri("b", "x://2"), "x://2");
    EXPECT_EQ(catalog->public_uri("b", "x://t/5"), "via-b+x://t/5");
    EXPECT_EQ(catalog->public_uri("a", "x://t/5"), "x://t/5");
    EXPECT_EQ(catalog->public_uri("c", "x://1"), "");

    const auto hiding = build(sources, OnCollision::kError);
    EXPECT_EQ(hiding->public_uri("b", "x://1"), "");
    EXPECT_EQ(found(*hiding, sources, ItemKind::kResource, "via-b+x://1"), "-");
    EXPECT_EQ(found(*hiding, sources, ItemKind::kResource, "x://1", "servers/b"), "b:x://1");
}

TEST(Catalog, APageAToolNamesFollowsItsRenamedUri) {
    const auto app = item(ItemKind::kTool, "app",
                          R"({"name":"app","inputSchema":{"type":"object"},"_meta":{"ui":{"resourceUri":"ui://x"}}})");
    const auto catalog = build({source("a", {resource("ui://x")}), source("b", {resource("ui://x"), app})});
    const Json list = page(*catalog, ItemKind::kTool);
    EXPECT_EQ(list.at_pointer("/tools/0/_meta/ui/resourceUri")->dump(), R"("via-b+ui://x")");
    EXPECT_EQ(list.at_pointer("/tools/0/name")->dump(), R"("b_app")");
    const Json own = page(*catalog, ItemKind::kTool, "servers/b");
    EXPECT_EQ(own.at_pointer("/tools/0/_meta/ui/resourceUri")->dump(), R"("ui://x")");
}

TEST(Catalog, AServersOwnScopeHasItsOwnNames) {
    const std::vector sources{source("a", {tool("x.y")}), source("b", {tool("x.y")})};
    const auto catalog = build(sources);
    EXPECT_THAT(tools_of(*catalog, "servers/b"), ElementsAre("x.y"));
    EXPECT_EQ(found(*catalog, sources, ItemKind::kTool, "x.y", "servers/b"), "b:x.y");
    EXPECT_EQ(found(*catalog, sources, ItemKind::kTool, "b_x_y", "servers/b"), "-");
    EXPECT_TRUE(catalog->has_scope("servers/a"));
    EXPECT_FALSE(catalog->has_scope("servers/c"));
    EXPECT_FALSE(catalog->list(ItemKind::kTool, "servers/c", mcp::kLatestRevision, {}));
    EXPECT_THAT(catalog->scopes(), ElementsAre("", "servers/a", "servers/b"));
}

TEST(Catalog, AGroupIsItsServersAndTheToolsItsPatternsFit) {
    const std::vector sources{source("a", {tool("get"), tool("put"), prompt("p")}),
                              source("b", {tool("get"), tool("put"), resource("x://b")}),
                              source("c", {tool("get"), prompt("q")})};
    const auto catalog =
        build(sources, OnCollision::kSuffix,
              {{.name = "readers", .servers = {"c", "nobody"}, .tools = {"*_get"}}, {.name = "one", .servers = {"b"}}});
    EXPECT_THAT(tools_of(*catalog, "groups/readers"), ElementsAre("a_get", "b_get", "c_get"));
    EXPECT_THAT(names(page(*catalog, ItemKind::kPrompt, "groups/readers"), "prompts"), ElementsAre("c_q"));
    EXPECT_EQ(found(*catalog, sources, ItemKind::kTool, "a_get", "groups/readers"), "a:get");
    EXPECT_EQ(found(*catalog, sources, ItemKind::kTool, "a_put", "groups/readers"), "-");
    EXPECT_EQ(found(*catalog, sources, ItemKind::kPrompt, "a_p", "groups/readers"), "-");
    EXPECT_EQ(found(*catalog, sources, ItemKind::kResource, "x://b", "groups/readers"), "c:x://b?")
        << "b brings a tool, not its resources; c is the only one that could be meant";
    EXPECT_EQ(found(*catalog, sources, ItemKind::kResource, "x://b", "groups/one"), "b:x://b");
    EXPECT_EQ(found(*catalog, sources, ItemKind::kResource, "via-a+x://b", "groups/one"), "-");
    ASSERT_EQ(catalog->problems().size(), 1u);
    EXPECT_THAT(catalog->problems()[0].what, HasSubstr("group 'readers' names server 'nobody'"));
    EXPECT_NE(catalog->digest(ItemKind::kTool, "groups/one"), catalog->digest(ItemKind::kTool, ""));
}

TEST(Catalog, UnusableThingsAreLeftOutAndTold) {
    const auto catalog = build({source("s", {tool("x"), tool("x"), tool(""), item(ItemKind::kTool, "y", "[]"),
                                             item(ItemKind::kTool, "z", R"({"name":"other"})"),
                                             // Found by fuzzing: an escape at the end of the text.
                                             item(ItemKind::kTool, "w", "{\"\\u\":1,\"name\":\"\\")})});
    EXPECT_THAT(tools_of(*catalog), ElementsAre("s_x"));
    EXPECT_EQ(catalog->problems().size(), 5u);
}

TEST(Catalog, ThousandsOfProblemsAreToldInAFewLines) {
    std::vector<ItemPtr> items;
    for (int i = 0; i < 5000; ++i) items.push_back(tool("x"));
    const auto catalog = build({source("s", std::move(items))});
    EXPECT_LT(catalog->problems().size(), 30u);
    EXPECT_THAT(catalog->problems().back().what, HasSubstr("more like these"));
}

TEST(Catalog, TheLimitsOfTheRulesHold) {
    NameBook book;
    make_catalog({source("old", {tool("1"), tool("2")})}, {}, {.self = {.name = "g"}}, book);
    const std::vector sources{source("new", {tool("3"), prompt("p")}), source("old", {tool("1"), tool("2")})};
    const auto few = make_catalog(sources, {}, {.max_tools = 2, .self = {.name = "g"}}, book);
    EXPECT_THAT(tools_of(*few), ElementsAre("new_3", "old_1")) << "each has its share, also one that came later";
    EXPECT_EQ(few->size(ItemKind::kPrompt, ""), 1u) << "prompts are not counted as tools";
    EXPECT_EQ(few->size(ItemKind::kTool, "servers/old"), 1u);
    ASSERT_EQ(few->problems().size(), 1u);
    EXPECT_EQ(few->problems()[0].source, "old");
    EXPECT_THAT(few->problems()[0].what, HasSubstr("1 tools are left out"));
    const auto bare = make_catalog(sources, {}, {.max_others = 0, .self = {.name = "g"}}, book);
    EXPECT_EQ(bare->size(ItemKind::kTool, ""), 3u);
    EXPECT_EQ(bare->size(ItemKind::kPrompt, ""), 0u);
    EXPECT_EQ(bare->left_out("new")[static_cast<std::size_t>(ItemKind::kPrompt)], 1u);
}

TEST(Catalog, ALongListDoesNotEvictOtherServersWhereverTheyStand) {
    std::vector<ItemPtr> many;
    for (int i = 0; i < 1000; ++i) many.push_back(tool("t" + std::to_string(i)));
    NameBook book;
    const auto catalog =
        make_catalog({source("big", many), source("small", {tool("x"), tool("y")}), source("huge", many)}, {},
                     {.max_tools = 100, .self = {.name = "g"}}, book);
    EXPECT_TRUE(catalog->find(ItemKind::kTool, "", "small_x"));
    EXPECT_TRUE(catalog->find(ItemKind::kTool, "servers/small", "y"));
    EXPECT_EQ(catalog->size(ItemKind::kTool, ""), 100u);
    EXPECT_EQ(catalog->left_out("big")[0], 951u);
    EXPECT_EQ(catalog->left_out("huge")[0], 951u);
    EXPECT_EQ(catalog->left_out("small")[0], 0u);
    EXPECT_FALSE(catalog->find(ItemKind::kTool, "servers/big", "t999")) << "left out of every scope";
}

TEST(Catalog, WithinAServerThatIsCutToolsThatHadANameStay) {
    NameBook book;
    const CatalogRules rules{.max_tools = 2, .self = {.name = "g"}};
    make_catalog({source("s", {tool("m"), tool("n")})}, {}, rules, book);
    const auto grown = make_catalog({source("s", {tool("a"), tool("b"), tool("m"), tool("n")})}, {}, rules, book);
    EXPECT_THAT(tools_of(*grown), ElementsAre("s_m", "s_n"));
}

TEST(Catalog, FoundThingsLiveAsLongAsTheCatalogThatIsHeld) {
    NameBook book;
    const CatalogPtr held = build({source("s", {tool("x")})}, book);
    const auto hit = held->find(ItemKind::kTool, "", "s_x");
    ASSERT_TRUE(hit);
    // The registry has gone on to other catalogs meanwhile.
    build({source("s", {tool("y")})}, book);
    EXPECT_EQ(hit->item->name, "x");
    EXPECT_EQ(hit->own_name, "x");
    EXPECT_EQ(hit->source, 0u);
}

TEST(Catalog, TheDigestTellsEveryChangeAndNothingElse) {
    const auto digest = [](std::vector<SourceEntry> sources) {
        return build(std::move(sources))->digest(ItemKind::kTool, "");
    };
    const auto base = digest({source("a", {tool("x"), tool("y")})});
    EXPECT_EQ(base, digest({source("a", {tool("y"), tool("x")})})) << "the list is sorted in any case";
    EXPECT_EQ(base, digest({source("a", {tool("x"), tool("y"), prompt("p")})}));
    EXPECT_NE(base, digest({source("a", {tool("x")})}));
    EXPECT_NE(base, digest({source("b", {tool("x"), tool("y")})}));
    EXPECT_NE(base, digest({source("a", {tool("x"), item(ItemKind::kTool, "y", R"({"name":"y","title":"new"})")})}));
}

TEST(Catalog, MergesWhatTheServersCanDo) {
    const auto plain = with(source("a", {tool("x")}), [](Inventory& inventory) {
        inventory.capabilities = {};
        inventory.capabilities.tools.emplace();
        inventory.instructions = "Use a.";
    });
    const auto rich = with(source("b", {}), [](Inventory& inventory) {
        inventory.capabilities.resources->subscribe = true;
        inventory.capabilities.completions.emplace();
        inventory.capabilities.logging.emplace();
        inventory.capabilities.extensions.set(std::string(mcp::kTasksExtension), JsonObject());
        inventory.instructions = "Use b.";
    });
    const auto catalog = build({plain, rich});
    const auto all = catalog->capabilities("");
    EXPECT_EQ(all.tools->list_changed, true);
    EXPECT_EQ(all.prompts->list_changed, true);
    EXPECT_EQ(all.resources->subscribe, true);
    EXPECT_EQ(all.resources->list_changed, true);
    EXPECT_TRUE(all.completions && all.logging);
    EXPECT_FALSE(all.tasks);
    EXPECT_TRUE(all.extensions.contains(mcp::kTasksExtension));
    const auto part = catalog->capabilities("servers/a");
    EXPECT_TRUE(part.tools && !part.prompts && !part.resources && !part.completions && !part.logging);
    EXPECT_EQ(catalog->instructions(""), "## a\n\nUse a.\n\n## b\n\nUse b.");
    EXPECT_EQ(catalog->instructions("servers/a"), "Use a.");
}

TEST(Catalog, TasksOfOlderServersAreOfferedWithoutTheirList) {
    const auto server = with(source("a", {tool("x")}), [](Inventory& inventory) {
        inventory.capabilities.tasks.emplace();
        inventory.capabilities.tasks->list.emplace();
        inventory.capabilities.tasks->cancel.emplace();
    });
    const auto all = build({server})->capabilities("");
    ASSERT_TRUE(all.tasks);
    EXPECT_TRUE(all.tasks->cancel);
    EXPECT_FALSE(all.tasks->list) << "the gateway answers no tasks/list";
}

TEST(Catalog, KnowsWhoHasAHandInAList) {
    const auto quiet = with(source("b", {}), [](Inventory& inventory) { inventory.capabilities = {}; });
    const auto catalog = build({source("a", {tool("x")}), quiet});
    EXPECT_TRUE(catalog->draws_on("", ItemKind::kTool, "a"));
    EXPECT_TRUE(catalog->draws_on("", ItemKind::kPrompt, "a")) << "it may have some later";
    EXPECT_FALSE(catalog->draws_on("", ItemKind::kTool, "b"));
    EXPECT_FALSE(catalog->draws_on("servers/b", ItemKind::kTool, "a"));
    EXPECT_FALSE(catalog->draws_on("", ItemKind::kTool, "c"));
    EXPECT_FALSE(catalog->draws_on("groups/none", ItemKind::kTool, "a"));
}

TEST(Catalog, AServerNotSeenYetMayStillBringAnything) {
    const auto all = build({down("s")})->capabilities("");
    EXPECT_TRUE(all.tools && all.prompts && all.resources);
    EXPECT_FALSE(all.completions || all.logging);
}

}  // namespace
}  // namespace gantry::gateway
