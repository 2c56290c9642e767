#include "auth/oauth/metadata.hpp"

#include <algorithm>

#include "base/try.hpp"
#include "gantry/json.hpp"

namespace gantry::auth {
namespace {

constexpr JsonLimits kLimits{.max_bytes = 1u << 20, .max_depth = 32};
constexpr std::size_t kMaxListItems = 1024;

std::string text(const Json& json, std::string_view name) {
    return std::string(json.string_at(name));
}

/// Absent if there is no such member or it is not a list of strings.
std::optional<std::vector<std::string>> list(const Json& json, std::string_view name) {
    const Json* member = json.find(name);
    const JsonArray* items = member ? member->if_array() : nullptr;
    if (!items || items->size() > kMaxListItems) return std::nullopt;
    std::vector<std::string> out;
    for (const Json& item : *items) {
        const std::string* value = item.if_string();
        if (!value) return std::nullopt;
        out.push_back(*value);
    }
    return out;
}

bool flag(const Json& json, std::string_view name) {
    const Json* member = json.find(name);
    const bool* value = member ? member->if_bool() : nullptr;
    return value && *value;
}

Result<Json> parse_document(std::string_view body, std::string_view what) {
    auto json = Json::parse(body, kLimits);
    if (!json || !json->is_object()) return fail(ErrorCode::kParse, std::string(what) + " is not a JSON object");
    return json;
}

/// "/a" covers "/a", "/a/" and "/a/b", not "/ab".
bool covers(std::string_view parent, std::string_view path) {
    if (parent.ends_with('/')) parent.remove_suffix(1);
    return path.starts_with(parent) && (path.size() == parent.size() || path[parent.size()] == '/');
}

}  // namespace

bool contains(const std::vector<std::string>& list, std::string_view value) noexcept {
    return std::find(list.begin(), list.end(), value) != list.end();
}

Result<Url> parse_secure_url(std::string_view text, std::string_view what) {
    auto url = Url::parse(text);
    if (!url) return fail(url.error().within(what));
    if (!url->is_https() && !url->is_loopback_literal())
        return fail(ErrorCode::kDenied, std::string(what) + " must use https");
    return url;
}

Result<ResourceMetadata> parse_resource_metadata(std::string_view body) {
    GANTRY_TRY(const Json json, parse_document(body, "protected resource metadata"));
    ResourceMetadata out;
    out.resource = text(json, "resource");
    if (out.resource.empty())
        return fail(ErrorCode::kProtocol, "protected resource metadata does not name its resource");
    auto servers = list(json, "authorization_servers");
    if (!servers || servers->empty())
        return fail(ErrorCode::kProtocol, "protected resource metadata names no authorization server");
    out.authorization_servers = *std::move(servers);
    out.scopes_supported = list(json, "scopes_supported").value_or(std::vector<std::string>());
    out.dpop_required = flag(json, "dpop_bound_access_tokens_required");
    return out;
}

Result<ServerMetadata> parse_server_metadata(std::string_view body) {
    GANTRY_TRY(const Json json, parse_document(body, "authorization server metadata"));
    ServerMetadata out;
    out.issuer = text(json, "issuer");
    if (out.issuer.empty()) return fail(ErrorCode::kProtocol, "authorization server metadata names no issuer");
    out.authorization_endpoint = text(json, "authorization_endpoint");
    out.token_endpoint = text(json, "token_endpoint");
    out.registration_endpoint = text(json, "registration_endpoint");
    const std::vector<std::string> none;
    out.scopes_supported = list(json, "scopes_supported").value_or(none);
    out.grant_types = list(json, "grant_types_supported").value_or(none);
    out.code_challenge_methods = list(json, "code_challenge_methods_supported");
    out.token_auth_methods = list(json, "token_endpoint_auth_methods_supported");
    out.token_auth_algs = list(json, "token_endpoint_auth_signing_alg_values_supported").value_or(none);
    out.dpop_algs = list(json, "dpop_signing_alg_values_supported").value_or(none);
    out.iss_parameter = flag(json, "authorization_response_iss_parameter_supported");
    out.client_id_documents = flag(json, "client_id_metadata_document_supported");
    return out;
}

Result<void> check_resource(const ResourceMetadata& metadata, const Url& server) {
    const auto resource = Url::parse(metadata.resource);
    // A URL keeps all bytes, but a fragment would make the identifier differ from the requested resource.
    const bool plain = resource && metadata.resource.find('#') == std::string::npos;
    if (!plain || resource->origin() != server.origin() || !covers(resource->path(), server.path()) ||
        (!resource->query().empty() && resource->query() != server.query()))
        return fail(ErrorCode::kDenied, "the protected resource metadata of " + server.origin() +
                                            " speaks about another resource; refusing to authorize for it");
    return {};
}

}  // namespace gantry::auth
