#include "gateway/events/type_filter.hpp"

#include <algorithm>

#include "gateway/events/event_names.hpp"

namespace gantry::gateway::events {
namespace {

bool fits(std::string_view pattern, std::string_view text) noexcept {
    std::size_t p = 0, t = 0, star = std::string_view::npos, mark = 0;
    while (t < text.size()) {
        if (p < pattern.size() && pattern[p] == '*') {
            star = p++;
            mark = t;
        } else if (p < pattern.size() && pattern[p] == text[t]) {
            ++p;
            ++t;
        } else if (star != std::string_view::npos) {
            p = star + 1;
            t = ++mark;
        } else {
            return false;
        }
    }
    while (p < pattern.size() && pattern[p] == '*') ++p;
    return p == pattern.size();
}

/// "gantry.tool.failed.v1" without the common prefix and suffix.
std::string_view core_of(std::string_view type) noexcept {
    if (type.starts_with("gantry.")) type.remove_prefix(7);
    const std::size_t dot = type.rfind(".v");
    return dot == std::string_view::npos ? type : type.substr(0, dot);
}

}  // namespace

bool TypeFilter::wants(std::string_view type) const noexcept {
    const std::string_view told = type_under(names_, type);
    return patterns_.empty() || std::ranges::any_of(patterns_, [type, told](const std::string& pattern) {
               return fits(pattern, type) || fits(pattern, core_of(type)) || (told != type && fits(pattern, told));
           });
}

}  // namespace gantry::gateway::events
