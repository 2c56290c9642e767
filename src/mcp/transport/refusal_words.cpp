#include "mcp/transport/refusal_words.hpp"

#include <algorithm>

#include "gantry/json.hpp"
#include "mcp/transport/stderr_tail.hpp"

namespace gantry::mcp {
namespace {

/// How much of a body is inspected.
constexpr std::size_t kRead = 16u << 10;

std::string in_json(std::string_view body) {
    const auto json = Json::parse(body);
    if (!json || !json->is_object()) return {};
    for (const char* place : {"/error/message", "/message", "/error_description", "/detail", "/error"}) {
        const Json* found = json->at_pointer(place);
        if (found != nullptr && found->is_string()) return *found->if_string();
    }
    return {};
}

/// Removes tags, and elements whose content is not text for reading.
std::string without_markup(std::string_view page) {
    std::string out;
    while (!page.empty()) {
        const auto open = page.find('<');
        out += page.substr(0, open);
        if (open == std::string_view::npos) break;
        page.remove_prefix(open);
        for (const std::string_view hidden : {"script", "style", "title"}) {
            if (!page.starts_with("<" + std::string(hidden))) continue;
            page.remove_prefix(std::min(page.find("</" + std::string(hidden)), page.size()));
        }
        const auto close = page.find('>');
        if (close == std::string_view::npos) break;
        page.remove_prefix(close + 1);
        out += ' ';
    }
    return out;
}

/// Collapses runs of blanks.
std::string squeezed(std::string_view text) {
    std::string out;
    for (const char c : text) {
        const bool blank = c == ' ' || c == '\t' || c == '\r' || c == '\n';
        if (!blank) out += c;
        if (blank && !out.empty() && out.back() != ' ') out += ' ';
    }
    while (out.ends_with(' ')) out.pop_back();
    return out;
}

}  // namespace

std::string refusal_words(std::string_view media_type, std::string_view body) {
    body = body.substr(0, kRead);
    std::string words;
    if (media_type.contains("json")) {
        words = in_json(body);
    } else if (media_type.contains("html")) {
        words = without_markup(body);
    } else if (media_type.starts_with("text/") || media_type.empty()) {
        words = body;
    }
    return one_line(squeezed(words), kMaxRefusalWords);
}

}  // namespace gantry::mcp
