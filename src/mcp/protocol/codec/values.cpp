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

GANTRY_MCP_CODEC(Annotations, may("audience", &Annotations::audience).hint(),
                 may("priority", &Annotations::priority).hint(),
                 may("lastModified", &Annotations::last_modified).since(Revision::k2025_06_18).hint());

GANTRY_MCP_CODEC(Icon, must("src", &Icon::src), may("mimeType", &Icon::mime_type), may("sizes", &Icon::sizes).hint(),
                 may("theme", &Icon::theme).hint());

GANTRY_MCP_CODEC(Implementation, must("name", &Implementation::name), always("version", &Implementation::version),
                 may("title", &Implementation::title).since(Revision::k2025_06_18).hint(),
                 may("description", &Implementation::description).since(Revision::k2025_11_25).hint(),
                 may("websiteUrl", &Implementation::website_url).since(Revision::k2025_11_25).hint(),
                 may("icons", &Implementation::icons).since(Revision::k2025_11_25).hint());

GANTRY_MCP_CODEC(EmptyParams, may("_meta", &EmptyParams::meta));
GANTRY_MCP_CODEC(EmptyResult, result_type(), may("_meta", &EmptyResult::meta));
GANTRY_MCP_CODEC(PageParams, may("cursor", &PageParams::cursor), may("_meta", &PageParams::meta));

}  // namespace gantry::mcp
