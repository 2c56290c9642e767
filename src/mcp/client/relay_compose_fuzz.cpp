#include "mcp/client/relay_compose.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "mcp/protocol/meta.hpp"

// Composes a client's request for a server: the result is strict JSON with our id and our envelope, without the other
// hop's envelope, and with every other byte of the request unchanged.

namespace {

using namespace gantry;
using namespace gantry::mcp;

void require(bool holds) {
    if (!holds) std::abort();
}

constexpr std::int64_t kId = 4711;
constexpr std::string_view kName = "own \"name\"";

bool is_envelope(std::string_view key) {
    for (const std::string_view known :
         {meta_key::kProtocolVersion, meta_key::kClientCapabilities, meta_key::kClientInfo, meta_key::kServerInfo,
          meta_key::kLogLevel, meta_key::kSubscriptionId, meta_key::kProgressToken, meta_key::kCorrelationId}) {
        if (key == known) return true;
    }
    return false;
}

void check_meta(const RelayRequest& request, const Json& before, const Json* after, bool modern) {
    const Json* given = before.find("_meta");
    if (given != nullptr && given->is_object()) {
        for (const auto& [key, value] : *given->if_object()) {
            if (is_envelope(key) || (modern && key == meta_key::kRelatedTask)) continue;
            require(after != nullptr && after->find(key) != nullptr && *after->find(key) == value);
        }
    }
    const auto said = [&](std::string_view key) { return after != nullptr ? after->find(key) : nullptr; };
    require((said(meta_key::kProtocolVersion) != nullptr) == modern);
    require((said(meta_key::kClientCapabilities) != nullptr) == modern);
    require(said(meta_key::kServerInfo) == nullptr && said(meta_key::kSubscriptionId) == nullptr);
    require((said(meta_key::kLogLevel) != nullptr) == (modern && request.log_level.has_value()));
    const Json* token = said(meta_key::kProgressToken);
    require(request.wants_progress ? token != nullptr && *token == Json(kId) : token == nullptr);
    const Json* correlation = said(meta_key::kCorrelationId);
    require(request.correlation_id.empty() ? correlation == nullptr
                                           : correlation != nullptr && *correlation == Json(request.correlation_id));
    if (modern) require(said(meta_key::kRelatedTask) == nullptr);
}

void check(const RelayRequest& request, const Json& before, std::string_view stamp) {
    const bool modern = !stamp.empty();
    const auto composed = compose_relay(request, kId, stamp);
    require(composed.has_value());
    const auto message = Json::parse(*composed, {.max_depth = 300});
    require(message && message->string_at("jsonrpc") == "2.0" && message->string_at("method") == request.method);
    require(message->find("id")->as_int() == kId);
    const auto view = json::scan_envelope(*composed, {.max_depth = 300});
    require(view.has_value());
    require(view->in_params.arguments.raw() == request.view.arguments.raw());
    const Json* params = message->find("params");
    const Json none = JsonObject{};
    const Json& after = params != nullptr ? *params : none;
    if (const Json* meta = before.find("_meta"); meta == nullptr || meta->is_object())
        check_meta(request, before, after.find("_meta"), modern);
    if (request.view.name && !request.name.empty() && !request.method.starts_with("resources/"))
        require(after.string_at("name") == kName);
    for (const auto& [key, value] : before.is_object() ? *before.if_object() : JsonObject{}) {
        if (key == "_meta" || key == "requestState" || key == "inputResponses") continue;
        if (!request.name.empty() && (key == "name" || key == "uri")) continue;
        require(after.find(key) != nullptr && *after.find(key) == value);
    }
    if (!modern) require(after.find("requestState") == nullptr && after.find("inputResponses") == nullptr);
    if (modern && request.request_state)
        require(request.request_state->empty() ? after.find("requestState") == nullptr
                                               : after.string_at("requestState") == *request.request_state);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 2) return 0;
    const unsigned choice = data[0];
    const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
    const auto view = json::scan_envelope(text);
    if (!view || !view->method.is_string() || (view->params && !view->params.is_object())) return 0;
    const std::string method = view->method.text().value_or("");
    const auto before = view->params ? Json::parse(view->params.raw()) : Result<Json>(Json());
    if (!before) return 0;
    RelayRequest request{.method = method, .params = view->params.raw(), .view = view->in_params};
    const bool has_name = view->in_params.name.is_string() || view->in_params.uri.is_string();
    if ((choice & 1U) != 0 && has_name && (view->in_params.name.is_string() || !view->in_params.name))
        request.name = kName;
    if ((choice & 2U) != 0) request.wants_progress = true;
    if ((choice & 4U) != 0) request.log_level = LogLevel::kInfo;
    if ((choice & 8U) != 0 && view->params) request.request_state = (choice & 16U) != 0 ? "state \"1\"" : "";
    if ((choice & 64U) != 0) request.correlation_id = "c-1";
    static const std::string kStamp =
        make_stamp(Revision::k2026_07_28, R"({"roots":{}})", {.name = "gantry", .version = "1"});
    check(request, *before, (choice & 32U) != 0 ? kStamp : std::string_view());
    (void)relayed_name(request, Revision::k2026_07_28);
    return 0;
}
