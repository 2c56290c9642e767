#include "auth/oauth/registration.hpp"

#include "auth/oauth/token_endpoint.hpp"
#include "base/try.hpp"
#include "gantry/json.hpp"

namespace gantry::auth {
namespace {

constexpr JsonLimits kLimits{.max_bytes = 1u << 20, .max_depth = 32};

std::string_view method_to_ask_for(const ServerMetadata& server) {
    if (!server.token_auth_methods) return "none";
    for (const std::string_view method : {"none", "client_secret_basic", "client_secret_post"})
        if (contains(*server.token_auth_methods, method)) return method;
    return "none";
}

Json request_body(const ServerMetadata& server, const RegistrationRequest& wanted) {
    JsonObject body{{"client_name", wanted.client_name},
                    {"redirect_uris", JsonArray{wanted.redirect_uri}},
                    {"grant_types", JsonArray{"authorization_code", "refresh_token"}},
                    {"response_types", JsonArray{"code"}},
                    {"token_endpoint_auth_method", Json(method_to_ask_for(server))},
                    {"application_type", Json(application_type(wanted.redirect_uri))}};
    if (!wanted.scope.empty()) body.set("scope", wanted.scope.text());
    return body;
}

}  // namespace

std::string_view application_type(std::string_view redirect_uri) {
    const auto url = Url::parse(redirect_uri);  // fails for a private scheme
    return url && !url->is_loopback_literal() ? "web" : "native";
}

Task<Result<ClientRegistration>> register_client(const Context& ctx, const Fetch& fetch, const ServerMetadata& server,
                                                 RegistrationRequest wanted) {
    http::Request request;
    request.method = "POST";
    GANTRY_CO_TRY(request.url, parse_secure_url(server.registration_endpoint, "the registration endpoint"));
    request.headers.set("Content-Type", "application/json");
    request.headers.set("Accept", "application/json");
    request.body = request_body(server, wanted).dump();
    GANTRY_CO_TRY(const FetchedResponse response, co_await fetch(ctx, std::move(request)));
    const auto json = Json::parse(response.body, kLimits);
    if (response.status != 201 && response.status != 200)
        co_return fail(refusal("the client registration", json ? json->string_at("error") : std::string_view()));
    if (!json || json->string_at("client_id").empty())
        co_return fail(ErrorCode::kProtocol, "the registration endpoint's answer has no client_id");
    ClientRegistration out;
    out.client_id = json->string_at("client_id");
    out.client_secret = json->string_at("client_secret");
    out.auth_method = json->string_at("token_endpoint_auth_method");
    out.redirect_uri = std::move(wanted.redirect_uri);
    const Json* expiry = json->find("client_secret_expires_at");
    const auto seconds = expiry ? expiry->as_int() : std::nullopt;
    if (seconds && *seconds > 0) out.secret_expires_at = seconds;  // zero means never
    co_return out;
}

}  // namespace gantry::auth
