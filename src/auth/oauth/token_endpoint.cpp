#include "auth/oauth/token_endpoint.hpp"

#include <algorithm>

#include "base/try.hpp"
#include "gantry/json.hpp"

namespace gantry::auth {
namespace {

constexpr JsonLimits kLimits{.max_bytes = 1u << 20, .max_depth = 32};
constexpr std::int64_t kLongestLife = 10LL * 365 * 24 * 3600;

bool is_token_text(std::string_view text) {
    return std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x20 && c <= 0x7e; });
}

Result<TokenReply> read_tokens(const Json& json, const TokenEndpoint& endpoint, std::string asked_scope) {
    TokenReply reply;
    Tokens tokens;
    tokens.access_token = json.string_at("access_token");
    tokens.refresh_token = json.string_at("refresh_token");
    const std::string_view type = json.string_at("token_type");
    // The token becomes part of a header field.
    if (tokens.access_token.empty() || !is_token_text(tokens.access_token) || type.empty())
        return fail(ErrorCode::kProtocol, "the token endpoint's answer has no usable token");
    if (http::equal_ignoring_case(type, "bearer")) {
        tokens.token_type = "Bearer";
    } else if (http::equal_ignoring_case(type, "dpop") && endpoint.dpop) {
        tokens.token_type = "DPoP";
        GANTRY_TRY(tokens.dpop_key, endpoint.dpop->key().private_pem());
    } else if (http::equal_ignoring_case(type, "n_a")) {
        tokens.token_type = "N_A";  // RFC 8693: not an access token, for exchange only
    } else {
        return fail(ErrorCode::kUnsupported, "the token endpoint issued a token of an unknown type");
    }
    const Json* scope = json.find("scope");
    tokens.scope = scope && scope->is_string() ? *scope->if_string() : std::move(asked_scope);
    if (const Json* life = json.find("expires_in")) {
        // Some servers send the number as a string.
        auto seconds = life->as_double();
        if (const std::string* text = life->if_string())
            if (const auto number = Json::parse(*text)) seconds = number->as_double();
        if (seconds && *seconds >= 0)
            tokens.expires_at = jose::to_numeric_date(endpoint.now) +
                                static_cast<std::int64_t>(std::min(*seconds, static_cast<double>(kLongestLife)));
    }
    reply.issued_token_type = json.string_at("issued_token_type");
    reply.tokens = std::move(tokens);
    return reply;
}

Result<http::Request> make_request(const TokenEndpoint& endpoint, const Url& url, Form form) {
    http::Request request;
    request.method = "POST";
    request.url = url;
    request.headers.set("Content-Type", "application/x-www-form-urlencoded");
    request.headers.set("Accept", "application/json");
    GANTRY_CHECK(authenticate(endpoint.identity, endpoint.server, endpoint.now, form, request.headers));
    if (endpoint.dpop) {
        GANTRY_TRY(const std::string proof, endpoint.dpop->prove("POST", url, {}, endpoint.now));
        request.headers.set("DPoP", proof);
    }
    request.body = form.text();
    return request;
}

}  // namespace

Error refusal(std::string_view what, std::string_view oauth_error) {
    std::string code;
    for (const char c : oauth_error.substr(0, 64))
        if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
            c == '.')
            code += c;
    return Error(ErrorCode::kUnauthorized, std::string(what) + " was refused: " + (code.empty() ? "no reason" : code));
}

Task<Result<TokenReply>> request_tokens(const Context& ctx, const TokenEndpoint& endpoint, Form form,
                                        std::string asked_scope) {
    if (endpoint.server.token_endpoint.empty())
        co_return fail(ErrorCode::kProtocol, "the authorization server has no token endpoint");
    GANTRY_CO_TRY(const Url url, parse_secure_url(endpoint.server.token_endpoint, "the token endpoint"));
    for (bool repeated = false;; repeated = true) {
        GANTRY_CO_TRY(http::Request request, make_request(endpoint, url, form));
        GANTRY_CO_TRY(const FetchedResponse response, co_await endpoint.fetch(ctx, std::move(request)));
        const bool new_nonce =
            endpoint.dpop && endpoint.dpop->note_nonce(url, response.headers.get("DPoP-Nonce").value_or(""));
        const auto json = Json::parse(response.body, kLimits);
        const std::string_view error = json ? json->string_at("error") : std::string_view();
        if (response.status == 200 && json && error.empty())
            co_return read_tokens(*json, endpoint, std::move(asked_scope));
        if (error == "use_dpop_nonce" && new_nonce && !repeated) continue;
        if (error.empty())
            co_return fail(Error(ErrorCode::kProtocol, "the token endpoint of " + url.origin() + " answered " +
                                                           std::to_string(response.status) + " without an OAuth error")
                               .retryable(response.status >= 500));
        TokenReply reply;
        reply.error = error;
        co_return reply;
    }
}

}  // namespace gantry::auth
