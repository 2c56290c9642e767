#include <algorithm>

#include "io/sse/parser.hpp"

namespace gantry::sse {
namespace {

void append_field(std::string& out, std::string_view name, std::string_view value) {
    out += name;
    for (const char c : value)
        if (c != '\r' && c != '\n' && c != '\0') out += c;
    out += '\n';
}

/// One `name` line per line of `text`; CR, LF and CRLF all end a line.
void append_lines(std::string& out, std::string_view name, std::string_view text) {
    for (;;) {
        const std::size_t end = text.find_first_of("\r\n");
        out += name;
        out += text.substr(0, end);
        out += '\n';
        if (end == std::string_view::npos) return;
        text.remove_prefix(end + (text.substr(end).starts_with("\r\n") ? 2 : 1));
    }
}

}  // namespace

void append_event(std::string& out, std::string_view type, std::string_view data, std::optional<std::string_view> id,
                  std::optional<std::chrono::milliseconds> retry) {
    if (!type.empty()) append_field(out, "event: ", type);
    if (id) append_field(out, "id: ", *id);
    if (retry) append_field(out, "retry: ", std::to_string(std::max<std::int64_t>(retry->count(), 0)));
    append_lines(out, "data: ", data);
    out += '\n';
}

void append_comment(std::string& out, std::string_view text) {
    append_lines(out, ": ", text);
    out += '\n';
}

}  // namespace gantry::sse
