#include "mcp/protocol/codec/values.hpp"

#include "mcp/protocol/codec/fields.hpp"
#include "mcp/protocol/message.hpp"

namespace gantry::mcp {

std::string_view to_string(Role role) noexcept {
    return name_of(role);
}
std::string_view to_string(LogLevel level) noexcept {
    return name_of(level);
}
std::string_view to_string(CacheScope scope) noexcept {
    return name_of(scope);
}
std::string_view to_string(TaskStatus status) noexcept {
    return name_of(status);
}
std::optional<LogLevel> parse_log_level(std::string_view text) noexcept {
    return value_of<LogLevel>(text);
}

Result<void> Codec<RequestId>::read(const Json& json, RequestId& out, Revision, const Place& place) {
    auto id = parse_request_id(json);
    if (!id) return misfit(place, "expected text or an integer");
    out = *std::move(id);
    return {};
}

Json Codec<RequestId>::write(const RequestId& value, Revision) {
    return to_json(value);
}

Result<void> Codec<StringMap>::read(const Json& json, StringMap& out, Revision revision, const Place& place) {
    const JsonObject* object = json.if_object();
    if (object == nullptr) return misfit(place, "expected an object");
    for (const auto& [name, value] : *object) {
        if (auto read = Codec<std::string>::read(value, out[name], revision, place.member(name)); !read) return read;
    }
    return {};
}

Json Codec<StringMap>::write(const StringMap& value, Revision) {
    JsonObject object;
    for (const auto& [name, text] : value) object.set(name, text);
    return object;
}

Result<void> Codec<RpcError>::read(const Json& json, RpcError& out, Revision, const Place& place) {
    if (!json.is_object()) return misfit(place, "expected an object");
    const Json* code = json.find("code");
    if (code == nullptr || !code->as_int()) return misfit(place.member("code"), "expected an integer");
    out.code = *code->as_int();
    out.message = json.string_at("message");
    const Json* data = json.find("data");
    out.data = data != nullptr ? data->dump() : "";
    return {};
}

Json Codec<RpcError>::write(const RpcError& value, Revision) {
    JsonObject object{{"code", value.code}, {"message", value.message}};
    if (!value.data.empty()) {
        auto data = Json::parse(value.data);
        object.set("data", data ? *std::move(data) : Json(value.data));
    }
    return object;
}

GANTRY_MCP_CODEC(Annotations, may<&Annotations::audience>("audience").hint(),
                 may<&Annotations::priority>("priority").hint(),
                 may<&Annotations::last_modified>("lastModified").since(Revision::k2025_06_18).hint());

GANTRY_MCP_CODEC(Icon, must<&Icon::src>("src"), may<&Icon::mime_type>("mimeType"), may<&Icon::sizes>("sizes").hint(),
                 may<&Icon::theme>("theme").hint());

GANTRY_MCP_CODEC(Implementation, must<&Implementation::name>("name"), always<&Implementation::version>("version"),
                 may<&Implementation::title>("title").since(Revision::k2025_06_18).hint(),
                 may<&Implementation::description>("description").since(Revision::k2025_11_25).hint(),
                 may<&Implementation::website_url>("websiteUrl").since(Revision::k2025_11_25).hint(),
                 may<&Implementation::icons>("icons").since(Revision::k2025_11_25).hint());

GANTRY_MCP_CODEC(EmptyParams, may<&EmptyParams::meta>("_meta"));
GANTRY_MCP_CODEC(EmptyResult, result_type(), may<&EmptyResult::meta>("_meta"));
GANTRY_MCP_CODEC(PageParams, may<&PageParams::cursor>("cursor"), may<&PageParams::meta>("_meta"));

}  // namespace gantry::mcp
