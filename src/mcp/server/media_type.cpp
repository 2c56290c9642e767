#include "mcp/server/media_type.hpp"

#include <algorithm>

#include "io/http/ascii.hpp"
#include "io/http/headers.hpp"

namespace gantry::mcp {
namespace {

/// Splits off the part of `rest` before the first `mark`, trimmed.
std::string_view cut(std::string_view& rest, char mark) noexcept {
    const std::size_t end = rest.find(mark);
    const std::string_view part = rest.substr(0, end);
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
    return http::trim_blanks(part);
}

/// "q=0", "q=0.0", "q=0.000".
bool is_refusal(std::string_view parameter) noexcept {
    if (parameter.size() < 3 || http::to_lower(parameter[0]) != 'q' || parameter[1] != '=') return false;
    const std::string_view weight = parameter.substr(2);
    return std::ranges::all_of(weight, [](char c) { return c == '0' || c == '.'; });
}

bool covers(std::string_view range, std::string_view type) noexcept {
    if (range == "*/*" || http::equal_ignoring_case(range, type)) return true;
    const std::size_t slash = type.find('/');
    return range.size() == slash + 2 && range.ends_with("/*") &&
           http::equal_ignoring_case(range.substr(0, slash), type.substr(0, slash));
}

}  // namespace

bool is_json_type(std::string_view content_type) noexcept {
    if (content_type == "application/json") return true;  // the usual spelling
    return http::equal_ignoring_case(cut(content_type, ';'), "application/json");
}

bool accepts(std::string_view accept, std::string_view type) noexcept {
    // Fast path: as specified, and sent by most clients.
    if (accept == "application/json, text/event-stream" && (type == "application/json" || type == "text/event-stream"))
        return true;
    if (http::trim_blanks(accept).empty()) return true;
    while (!accept.empty()) {
        std::string_view item = cut(accept, ',');
        if (!covers(cut(item, ';'), type)) continue;
        bool refused = false;
        while (!item.empty()) refused = is_refusal(cut(item, ';')) || refused;
        if (!refused) return true;
    }
    return false;
}

}  // namespace gantry::mcp
