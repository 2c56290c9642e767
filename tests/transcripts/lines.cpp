#include "transcripts/lines.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <utility>

namespace gantry::mcp::testing {
namespace {

using Names = std::vector<std::pair<std::string, std::string>>;

void replace_names(std::string& text, const Names& names) {
    for (const auto& [name, value] : names) {
        for (auto at = text.find(name); at != std::string::npos; at = text.find(name, at + value.size()))
            text.replace(at, name.size(), value);
    }
}

}  // namespace

std::vector<Line> read_transcript(const std::string& path) {
    std::ifstream file(path);
    if (!file) ADD_FAILURE() << "cannot read " << path;
    std::vector<Line> lines;
    Names names;
    std::string text;
    for (int number = 1; std::getline(file, text); ++number) {
        if (text.empty() || text[0] == '#') continue;
        if (text.size() < 2 || text[1] != ' ') {
            ADD_FAILURE() << path << ":" << number << ": a mark and a blank start every line";
            continue;
        }
        replace_names(text, names);
        const auto first = text.find_first_not_of(' ', 1);
        std::string rest = first == std::string::npos ? std::string() : text.substr(first);
        if (text[0] == '%') {
            const auto space = rest.find(' ');
            names.emplace_back("$" + rest.substr(0, space), rest.substr(space + 1));
        } else if (first > 2 && !lines.empty() && lines.back().mark == text[0]) {
            lines.back().details.push_back(std::move(rest));
        } else {
            lines.push_back({.number = number, .mark = text[0], .text = std::move(rest), .details = {}});
        }
    }
    return lines;
}

}  // namespace gantry::mcp::testing
