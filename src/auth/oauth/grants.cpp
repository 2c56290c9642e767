#include "auth/oauth/grants.hpp"

#include "auth/oauth/code_flow.hpp"
#include "base/try.hpp"

namespace gantry::auth {
namespace {

constexpr std::string_view kJwtBearer = "urn:ietf:params:oauth:grant-type:jwt-bearer";
constexpr std::string_view kTokenExchange = "urn:ietf:params:oauth:grant-type:token-exchange";
constexpr std::string_view kIdToken = "urn:ietf:params:oauth:token-type:id_token";
constexpr std::string_view kIdJag = "urn:ietf:params:oauth:token-type:id-jag";

void add_target(Form& form, const GrantTarget& target) {
    form.add_if("scope", target.scope.text());
    form.add_if("resource", target.resource);
}

/// Access tokens, or the error why there are none.
Result<Tokens> access_tokens(TokenReply reply) {
    if (!reply.error.empty()) return fail(refusal("the token request", reply.error));
    if (reply.tokens->token_type == "N_A")
        return fail(ErrorCode::kProtocol, "the token endpoint issued something that is not an access token");
    return *std::move(reply.tokens);
}

}  // namespace

Task<Result<Tokens>> authorization_code_grant(const Context& ctx, const TokenEndpoint& endpoint, GrantTarget target,
                                              UserAgent& agent, std::string redirect_uri) {
    GANTRY_CO_TRY(const CodeRequest request, begin_code_flow(endpoint.server, endpoint.identity.client_id,
                                                             std::move(redirect_uri), target.scope, target.resource));
    GANTRY_CO_TRY(const AuthorizationResponse response, co_await agent.authorize(ctx, request.url, request.state));
    GANTRY_CO_TRY(const std::string code, take_code(request, response));
    Form form;
    form.add("grant_type", "authorization_code");
    form.add("code", code);
    form.add("redirect_uri", request.redirect_uri);
    form.add("code_verifier", request.verifier);
    form.add_if("resource", target.resource);
    GANTRY_CO_TRY(TokenReply reply, co_await request_tokens(ctx, endpoint, std::move(form), target.scope.text()));
    co_return access_tokens(std::move(reply));
}

Task<Result<Tokens>> client_credentials_grant(const Context& ctx, const TokenEndpoint& endpoint, GrantTarget target) {
    Form form;
    form.add("grant_type", "client_credentials");
    add_target(form, target);
    GANTRY_CO_TRY(TokenReply reply, co_await request_tokens(ctx, endpoint, std::move(form), target.scope.text()));
    co_return access_tokens(std::move(reply));
}

Task<Result<Tokens>> jwt_bearer_grant(const Context& ctx, const TokenEndpoint& endpoint, GrantTarget target,
                                      std::string assertion) {
    Form form;
    form.add("grant_type", kJwtBearer);
    form.add("assertion", assertion);
    add_target(form, target);
    GANTRY_CO_TRY(TokenReply reply, co_await request_tokens(ctx, endpoint, std::move(form), target.scope.text()));
    co_return access_tokens(std::move(reply));
}

Task<Result<TokenReply>> refresh_grant(const Context& ctx, const TokenEndpoint& endpoint, std::string refresh_token,
                                       std::string resource, std::string scope) {
    Form form;
    form.add("grant_type", "refresh_token");
    form.add("refresh_token", refresh_token);
    form.add_if("resource", resource);
    GANTRY_CO_TRY(TokenReply reply, co_await request_tokens(ctx, endpoint, std::move(form), std::move(scope)));
    // Without rotation the old refresh token remains valid.
    if (reply.tokens && reply.tokens->refresh_token.empty()) reply.tokens->refresh_token = std::move(refresh_token);
    co_return reply;
}

Task<Result<std::string>> exchange_for_id_jag(const Context& ctx, const TokenEndpoint& provider, GrantTarget target,
                                              std::string issuer, std::string id_token) {
    Form form;
    form.add("grant_type", kTokenExchange);
    form.add("requested_token_type", kIdJag);
    form.add("audience", issuer);
    add_target(form, target);
    form.add("subject_token", id_token);
    form.add("subject_token_type", kIdToken);
    GANTRY_CO_TRY(TokenReply reply, co_await request_tokens(ctx, provider, std::move(form), target.scope.text()));
    if (!reply.error.empty()) co_return fail(refusal("the token exchange", reply.error));
    if (reply.issued_token_type != kIdJag)
        co_return fail(ErrorCode::kProtocol, "the identity provider issued another kind of token than asked for");
    co_return Result<std::string>(std::move(reply.tokens->access_token));
}

}  // namespace gantry::auth
