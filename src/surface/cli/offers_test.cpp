#include "surface/cli/offers.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "surface/cli/completion.hpp"

namespace gantry::cli {
namespace {

bool has(const Offers& offers, const std::string& word) {
    return std::ranges::any_of(offers.words, [&](const Offer& offer) { return offer.word == word; });
}

TEST(Offers, AreCommandsFirstAndTheProgramsOwnOptionsAfterADash) {
    for (const auto& words : {std::vector<std::string>{}, {""}, {"too"}}) {
        const Offers commands = offers_for(words);
        EXPECT_TRUE(has(commands, "tools"));
        EXPECT_TRUE(has(commands, "inspect"));
        EXPECT_FALSE(has(commands, "--version"));
    }
    EXPECT_TRUE(has(offers_for({"-"}), "--version"));
    const Offers commands = offers_for({""});
    for (const Offer& offer : commands.words) EXPECT_FALSE(offer.help.contains('\n')) << offer.word;
}

TEST(Offers, AreTheCommandsOptionsAfterADashAndWhereItTakesNoOperand) {
    EXPECT_TRUE(has(offers_for({"tools", "--"}), "--prefix"));
    EXPECT_TRUE(has(offers_for({"tools", "echo", "-"}), "--prefix"));
    EXPECT_FALSE(has(offers_for({"ping", "--"}), "--prefix"));
    EXPECT_TRUE(has(offers_for({"ping", ""}), "--probe"));
    EXPECT_FALSE(has(offers_for({"completion", "--"}), "--offers")) << "meant for the scripts";
}

TEST(Offers, NameTheToolOnlyWhereItStands) {
    EXPECT_EQ(offers_for({"call", "ec"}).names, "tools");
    EXPECT_EQ(offers_for({"call", "--json", "ec"}).names, "tools");
    EXPECT_EQ(offers_for({"call", "--timeout", "5", "ec"}).names, "tools") << "5 is the option's value";
    EXPECT_EQ(offers_for({"call", "-H", "a:b", "ec"}).names, "tools");
    const Offers arguments = offers_for({"call", "echo", "mess"});
    EXPECT_EQ(arguments.names, "");
    EXPECT_TRUE(arguments.words.empty());
}

TEST(Offers, NameServersAfterTheirOption) {
    EXPECT_EQ(offers_for({"tools", "--server", ""}).names, "servers");
    const Offers joined = offers_for({"tools", "--server=do"});
    EXPECT_EQ(joined.names, "servers");
    EXPECT_EQ(joined.name_prefix, "--server=");
    for (const auto& cut : {std::vector<std::string>{"tools", "--server", "="}, {"tools", "--server", "=", "do"}}) {
        EXPECT_EQ(offers_for(cut).names, "servers");
        EXPECT_EQ(offers_for(cut).name_prefix, "") << "bash replaces what follows the sign";
    }
    EXPECT_EQ(offers_for({"tools", "--url", ""}).names, "");
    EXPECT_TRUE(offers_for({"tools", "--url", ""}).words.empty());
}

TEST(Offers, FollowTheGatewayThatTheLineNames) {
    EXPECT_EQ(offers_for({"tools", "--state-dir", "/s", ""}).state_dir, "/s");
    EXPECT_EQ(offers_for({"tools", "--state-dir=/s", ""}).state_dir, "/s");
    EXPECT_EQ(offers_for({"tools", "--state-dir", "=", "/s", ""}).state_dir, "/s");
    EXPECT_EQ(offers_for({"tools", "--state-dir", "~/s", ""}).state_dir, std::getenv("HOME") + std::string("/s"));
    EXPECT_EQ(offers_for({"tools", "--pid", "12", ""}).pid, 12);
}

TEST(Offers, LeaveOtherProgramsAndUnknownCommandsAlone) {
    for (const auto& words :
         {std::vector<std::string>{"tools", "--", "np"}, {"nonsense", ""}, {"tools", "--", "tools", "-"}}) {
        EXPECT_TRUE(offers_for(words).words.empty());
        EXPECT_EQ(offers_for(words).names, "");
    }
}

TEST(Offers, AreTopicsAndShells) {
    EXPECT_TRUE(has(offers_for({"help", ""}), "exit-codes"));
    EXPECT_TRUE(has(offers_for({"help", ""}), "call"));
    EXPECT_TRUE(has(offers_for({"completion", ""}), "fish"));
}

TEST(Completion, HasAScriptForThreeShells) {
    for (const char* shell : {"bash", "zsh", "fish"}) EXPECT_TRUE(completion_script(shell)) << shell;
    EXPECT_FALSE(completion_script("tcsh"));
}

}  // namespace
}  // namespace gantry::cli
