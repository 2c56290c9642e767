#include "auth/store/values.hpp"

#include "base/try.hpp"
#include "gantry/json.hpp"

namespace gantry::auth {
namespace {

void put(JsonObject& object, const char* name, const std::string& value) {
    if (!value.empty()) object.set(name, value);
}
void put(JsonObject& object, const char* name, const std::optional<std::int64_t>& value) {
    if (value) object.set(name, *value);
}

std::string text(const Json& json, std::string_view name) {
    return std::string(json.string_at(name));
}
std::optional<std::int64_t> number(const Json& json, std::string_view name) {
    const Json* value = json.find(name);
    return value ? value->as_int() : std::nullopt;
}

Result<Json> parse_object(std::string_view stored, std::string_view required) {
    auto json = Json::parse(stored);
    if (!json || json->string_at(required).empty())
        return fail(ErrorCode::kParse, "the token store holds something unreadable");
    return json;
}

}  // namespace

std::string to_text(const Tokens& value) {
    JsonObject object;
    put(object, "access_token", value.access_token);
    put(object, "token_type", value.token_type);
    put(object, "refresh_token", value.refresh_token);
    put(object, "scope", value.scope);
    put(object, "expires_at", value.expires_at);
    put(object, "dpop_key", value.dpop_key);
    return Json(std::move(object)).dump();
}

std::string to_text(const ClientRegistration& value) {
    JsonObject object;
    put(object, "client_id", value.client_id);
    put(object, "client_secret", value.client_secret);
    put(object, "auth_method", value.auth_method);
    put(object, "redirect_uri", value.redirect_uri);
    put(object, "secret_expires_at", value.secret_expires_at);
    return Json(std::move(object)).dump();
}

std::string to_text(const ServerBinding& value) {
    JsonObject object;
    put(object, "issuer", value.issuer);
    put(object, "client_id", value.client_id);
    put(object, "resource", value.resource);
    put(object, "scope", value.scope);
    return Json(std::move(object)).dump();
}

Result<Tokens> parse_tokens(std::string_view stored) {
    GANTRY_TRY(const Json json, parse_object(stored, "access_token"));
    return Tokens{text(json, "access_token"), text(json, "token_type"),   text(json, "refresh_token"),
                  text(json, "scope"),        number(json, "expires_at"), text(json, "dpop_key")};
}

Result<ClientRegistration> parse_registration(std::string_view stored) {
    GANTRY_TRY(const Json json, parse_object(stored, "client_id"));
    return ClientRegistration{text(json, "client_id"), text(json, "client_secret"), text(json, "auth_method"),
                              text(json, "redirect_uri"), number(json, "secret_expires_at")};
}

Result<ServerBinding> parse_binding(std::string_view stored) {
    GANTRY_TRY(const Json json, parse_object(stored, "issuer"));
    return ServerBinding{text(json, "issuer"), text(json, "client_id"), text(json, "resource"), text(json, "scope")};
}

}  // namespace gantry::auth
