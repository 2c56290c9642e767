#include "gateway/sources/mcp/params.hpp"

#include "base/try.hpp"

namespace gantry::gateway {

Result<OwnParams> OwnParams::read(std::string_view params) {
    constexpr std::string_view kBefore = R"({"params":)";
    auto text = std::make_shared<std::string>();
    text->reserve(kBefore.size() + params.size() + 3);
    text->append(kBefore).append(params.empty() ? std::string_view("{}") : params).append("}");
    OwnParams own;
    own.held_ = std::move(text);
    GANTRY_TRY(const auto scanned, json::scan_envelope(*own.held_));
    own.params_ = scanned.params.raw();
    own.view_ = scanned.in_params;
    return own;
}

}  // namespace gantry::gateway
