#include "mcp/server/backend.hpp"

namespace gantry::mcp {

std::shared_ptr<const Identity> Backend::known(const RequestOrigin&) {
    return nullptr;
}

Task<std::expected<std::shared_ptr<const Identity>, Refusal>> Backend::identify(const Context&, const RequestOrigin&) {
    static const auto kLocal = std::make_shared<const Identity>("local");
    co_return kLocal;
}

void Backend::heard(const Peer&, std::string_view, const Json&) {}

void Backend::session_ended(const Peer&) {}

}  // namespace gantry::mcp
