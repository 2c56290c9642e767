#include "mcp/transport/stderr_tail.hpp"

namespace gantry::mcp {

std::string one_line(std::string_view text, std::size_t limit) {
    const bool cut = text.size() > limit;
    std::size_t size = cut ? limit : text.size();
    while (cut && size > 0 && (static_cast<unsigned char>(text[size]) & 0xC0) == 0x80) --size;
    std::string out;
    out.reserve(size + 3);
    for (const char c : text.substr(0, size)) {
        const auto byte = static_cast<unsigned char>(c);
        out += byte < 0x20 || byte == 0x7F ? ' ' : c;
    }
    if (cut) out += "…";
    return out;
}

void StderrTail::add(std::string_view line) {
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) return;
    if (lines_.size() == kLines) lines_.pop_front();
    lines_.push_back(one_line(line, kLineBytes));
}

std::string StderrTail::text() const {
    std::string out;
    for (const std::string& line : lines_) {
        if (!out.empty()) out += " | ";
        out += line;
    }
    return out;
}

}  // namespace gantry::mcp
