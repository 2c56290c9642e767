#include "mcp/protocol/uri_template.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

// A template in one half of the input, a URI in the other: a line break parts them, else the middle.

namespace {

using namespace gantry::mcp;

void check(bool holds) {
    if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const std::size_t line = text.find('\n');
    const std::string_view half = text.substr(0, line == std::string_view::npos ? size / 2 : line);
    const std::string_view uri = text.substr(line == std::string_view::npos ? size / 2 : line + 1);
    const auto pattern = UriTemplate::parse(half);
    const auto extractable = UriTemplate::parse_extractable(half);
    if (extractable) check(pattern.has_value());
    if (!pattern) return 0;
    const bool matches = pattern->matches(uri);
    // Without expressions a template matches itself and nothing else.
    if (half.find('{') == std::string_view::npos) check(pattern->matches(half) && matches == (uri == half));
    if (!extractable) return 0;
    check(extractable->matches(uri) == matches);
    if (extractable->extract(uri)) check(matches);
    return 0;
}
