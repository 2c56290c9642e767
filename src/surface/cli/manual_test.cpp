#include "surface/cli/manual.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>

#include "surface/cli/app.hpp"

namespace gantry::cli {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::Not;

std::string page(const std::vector<ManualPage>& pages, const std::string& file) {
    for (const ManualPage& page : pages) {
        if (page.file == file) return page.text;
    }
    ADD_FAILURE() << file << " is missing";
    return {};
}

TEST(Manual, HasAPageForTheProgramAndForEachVisibleCommand) {
    CLI::App app;
    app.description("Does things");
    app.add_subcommand("shown", "Does one thing");
    app.add_subcommand("hidden", "Does another")->group("");
    const auto pages = manual_pages(app);
    EXPECT_THAT(pages, ElementsAre(Field(&ManualPage::file, "gantry.1"), Field(&ManualPage::file, "gantry-shown.1")));
    EXPECT_THAT(pages[0].text, HasSubstr("\\fBshown\\fR\nDoes one thing"));
    EXPECT_THAT(pages[0].text, Not(HasSubstr("hidden")));
}

TEST(Manual, ListsOptionsWithTheirNamesTypesAndDescriptions) {
    CLI::App app;
    CLI::App* command = app.add_subcommand("go", "Goes");
    std::string file;
    bool flag = false;
    std::string where;
    command->add_option("-c,--config", file, "Where from")->type_name("FILE")->group("Input");
    command->add_flag("--fast", flag, "Hurry");
    command->add_option("place", where, "Where to")->required();
    const std::string text = page(manual_pages(app), "gantry-go.1");
    EXPECT_THAT(text, HasSubstr("\\fB\\-c, \\-\\-config\\fR FILE\nWhere from"));
    EXPECT_THAT(text, HasSubstr("\\fB\\-\\-fast\\fR\nHurry"));
    EXPECT_THAT(text, HasSubstr("[\\fIOPTION\\fR ...] \\fIplace\\fR"));
    EXPECT_THAT(text, HasSubstr(".SS \"Input\""));
}

TEST(Manual, PrintsTextThatLooksLikeRoffLiterally) {
    CLI::App app;
    app.add_subcommand("go", "Goes")->footer(".TH injected\n'so /etc/passwd\nback\\slash");
    const std::string text = page(manual_pages(app), "gantry-go.1");
    EXPECT_THAT(text, HasSubstr("\n\\&.TH injected\n\\&'so /etc/passwd\nback\\eslash"));
}

TEST(Manual, CoversTheRealCommandLine) {
    CLI::App app;
    Raw raw;
    describe(app, raw);
    const auto pages = manual_pages(app);
    EXPECT_THAT(pages, Contains(Field(&ManualPage::file, "gantry-call.1")));
    EXPECT_THAT(page(pages, "gantry-call.1"), HasSubstr("\\-\\-url"));
}

}  // namespace
}  // namespace gantry::cli
