#include "app/control/table.hpp"

#include <algorithm>

#include "base/terminal_text.hpp"

namespace gantry::app {
namespace {

/// Counts characters: bytes that begin one.
std::size_t width_of(const std::string& text) {
    return static_cast<std::size_t>(
        std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

}  // namespace

void Table::add(std::vector<std::string> cells) {
    for (std::string& cell : cells) cell = terminal_text(cell, Lines::kJoined);
    rows_.push_back(std::move(cells));
}

std::string Table::text() const {
    std::vector<std::size_t> widths;
    for (const auto& row : rows_) {
        widths.resize(std::max(widths.size(), row.size()));
        for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width_of(row[i]));
    }
    std::string out;
    for (const auto& row : rows_) {
        std::string line;
        for (std::size_t i = 0; i < row.size(); ++i) {
            line += row[i];
            if (i + 1 < row.size()) line.append(widths[i] + 2 - width_of(row[i]), ' ');
        }
        line.erase(line.find_last_not_of(' ') + 1);
        out.append(line).append("\n");
    }
    return out;
}

}  // namespace gantry::app
