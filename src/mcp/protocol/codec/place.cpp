#include "mcp/protocol/codec/place.hpp"

namespace gantry::mcp {

std::string to_text(const Place& place) {
    if (place.up == nullptr) return {};
    std::string text = to_text(*place.up);
    if (place.key.empty()) return text + '[' + std::to_string(place.index) + ']';
    if (!text.empty()) text += '.';
    return text.append(place.key);
}

std::unexpected<Error> misfit(const Place& place, std::string_view complaint) {
    std::string text = to_text(place);
    if (!text.empty()) text += ": ";
    return fail(ErrorCode::kProtocol, text.append(complaint));
}

}  // namespace gantry::mcp
