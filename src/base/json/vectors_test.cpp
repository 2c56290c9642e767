#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include "base/json/agreement.hpp"
#include "support/paths.hpp"

namespace gantry::json {
namespace {

namespace fs = std::filesystem;

struct Decision {
    bool accept;
    const char* why;
};

// Deliberate decisions on what the JSON standards leave open.
const std::map<std::string, Decision> kOpenCases = {
    {"i_number_double_huge_neg_exp.json", {true, "numbers keep their text, so none is out of range"}},
    {"i_number_huge_exp.json", {true, "numbers keep their text"}},
    {"i_number_neg_int_huge_exp.json", {true, "numbers keep their text"}},
    {"i_number_pos_double_huge_exp.json", {true, "numbers keep their text"}},
    {"i_number_real_neg_overflow.json", {true, "numbers keep their text"}},
    {"i_number_real_pos_overflow.json", {true, "numbers keep their text"}},
    {"i_number_real_underflow.json", {true, "numbers keep their text"}},
    {"i_number_too_big_neg_int.json", {true, "numbers keep their text"}},
    {"i_number_too_big_pos_int.json", {true, "numbers keep their text"}},
    {"i_number_very_big_negative_int.json", {true, "numbers keep their text"}},
    {"i_object_key_lone_2nd_surrogate.json", {false, "a lone surrogate has no UTF-8 form; readers differ"}},
    {"i_string_1st_surrogate_but_2nd_missing.json", {false, "lone surrogate"}},
    {"i_string_1st_valid_surrogate_2nd_invalid.json", {false, "lone surrogate"}},
    {"i_string_UTF-16LE_with_BOM.json", {false, "MCP messages are UTF-8"}},
    {"i_string_UTF-8_invalid_sequence.json", {false, "invalid UTF-8; replacing it would change the message"}},
    {"i_string_UTF8_surrogate_U+D800.json", {false, "surrogates are no valid UTF-8"}},
    {"i_string_incomplete_surrogate_and_escape_valid.json", {false, "lone surrogate"}},
    {"i_string_incomplete_surrogate_pair.json", {false, "lone surrogate"}},
    {"i_string_incomplete_surrogates_escape_valid.json", {false, "lone surrogate"}},
    {"i_string_invalid_lonely_surrogate.json", {false, "lone surrogate"}},
    {"i_string_invalid_surrogate.json", {false, "lone surrogate"}},
    {"i_string_invalid_utf-8.json", {false, "invalid UTF-8"}},
    {"i_string_inverted_surrogates_U+1D11E.json", {false, "lone surrogates"}},
    {"i_string_iso_latin_1.json", {false, "invalid UTF-8"}},
    {"i_string_lone_second_surrogate.json", {false, "lone surrogate"}},
    {"i_string_lone_utf8_continuation_byte.json", {false, "invalid UTF-8"}},
    {"i_string_not_in_unicode_range.json", {false, "invalid UTF-8: beyond U+10FFFF"}},
    {"i_string_overlong_sequence_2_bytes.json", {false, "invalid UTF-8: overlong forms hide characters"}},
    {"i_string_overlong_sequence_6_bytes.json", {false, "invalid UTF-8"}},
    {"i_string_overlong_sequence_6_bytes_null.json", {false, "invalid UTF-8"}},
    {"i_string_truncated-utf-8.json", {false, "invalid UTF-8"}},
    {"i_string_utf16BE_no_BOM.json", {false, "MCP messages are UTF-8"}},
    {"i_string_utf16LE_no_BOM.json", {false, "MCP messages are UTF-8"}},
    {"i_structure_500_nested_arrays.json", {false, "deeper than the default limit of 128"}},
    {"i_structure_UTF-8_BOM_empty_object.json", {false, "RFC 8259 forbids sending a byte order mark"}},
};

// Valid by the grammar alone; two parsers may use different members for the same key.
bool refused_on_purpose(const std::string& name) {
    return name == "y_object_duplicated_key.json" || name == "y_object_duplicated_key_and_value.json";
}

Decision decision_for(const std::string& name) {
    if (refused_on_purpose(name)) return {false, "duplicate keys"};
    if (name.starts_with("y_")) return {true, "valid"};
    if (name.starts_with("n_")) return {false, "invalid"};
    const auto open = kOpenCases.find(name);
    if (open == kOpenCases.end()) {
        ADD_FAILURE() << name << " is not decided";
        return {false, "undecided"};
    }
    return open->second;
}

TEST(JsonVectors, AllThreeReadersDecideEveryFileOnPurpose) {
    const fs::path folder = fs::path(gantry::test_support::source_path("../shared/vectors/json-parsing/test_parsing"));
    if (!fs::exists(folder)) GTEST_SKIP() << "JSON parsing vectors are not here";
    std::size_t files = 0;
    for (const auto& entry : fs::directory_iterator(folder)) {
        const std::string name = entry.path().filename().string();
        if (entry.path().extension() != ".json") continue;
        std::ifstream file(entry.path(), std::ios::binary);
        std::ostringstream content;
        content << file.rdbuf();
        const std::string text = content.str();
        const Decision decision = decision_for(name);
        ++files;

        const auto tree = Json::parse(text);
        EXPECT_EQ(tree.has_value(), decision.accept) << name << ": " << decision.why << "; " << verdict(tree);
        EXPECT_EQ(scan_disagreement(text), "") << name;
        for (std::uint64_t seed = 0; seed < 20; ++seed) EXPECT_EQ(incremental_disagreement(text, seed), "") << name;
        IncrementalScanner scanner;
        const auto incremental = feed_in_pieces(scanner, text, 1);
        EXPECT_EQ(incremental.has_value(), decision.accept) << name << ": " << verdict(incremental);
        if (!tree) continue;
        const std::string dumped = tree->dump();
        const auto again = Json::parse(dumped);
        ASSERT_TRUE(again.has_value()) << name;
        EXPECT_EQ(*again, *tree) << name;
        EXPECT_EQ(again->dump(), dumped) << name;
    }
    EXPECT_GT(files, 300u);
}

}  // namespace
}  // namespace gantry::json
