#include "gateway/catalog/cursor.hpp"

#include <algorithm>

#include "mcp/protocol/base64.hpp"

namespace gantry::gateway {

namespace {

/// Format version, then the kind.
std::string mark(ItemKind kind) {
    constexpr std::string_view kLetters = "tpru";
    return std::string("1") + kLetters[static_cast<std::size_t>(kind)];
}

}  // namespace

std::string encode_cursor(ItemKind kind, std::string_view name) {
    std::string text = mcp::encode_base64(name);
    text.erase(std::ranges::find(text, '='), text.end());
    std::ranges::replace(text, '+', '-');
    std::ranges::replace(text, '/', '_');
    return mark(kind) + text;
}

Result<std::string> decode_cursor(ItemKind kind, std::string_view cursor) {
    const std::string start = mark(kind);
    if (cursor.starts_with(start) && cursor.find_first_of("+/=") == std::string_view::npos) {
        std::string text(cursor.substr(start.size()));
        std::ranges::replace(text, '-', '+');
        std::ranges::replace(text, '_', '/');
        text.resize((text.size() + 3) / 4 * 4, '=');
        if (auto name = mcp::decode_base64(text)) return *std::move(name);
    }
    return fail(ErrorCode::kInvalidArgument, "the cursor was not made here");
}

}  // namespace gantry::gateway
