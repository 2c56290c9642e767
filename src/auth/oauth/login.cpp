#include "auth/oauth/authorizer_impl.hpp"
#include "base/try.hpp"

namespace gantry::auth {
namespace {

/// Time limit for cleanup after a context has ended.
constexpr Duration kTidyUp = seconds(5);

using Grant = AuthOptions::Grant;
using Dpop = AuthOptions::Dpop;

/// The preferred algorithm both sides support; ES256 if the server lists none.
Result<jose::Alg> choose_dpop_alg(const std::vector<std::string>& listed) {
    if (listed.empty() || contains(listed, "ES256")) return jose::Alg::kES256;
    for (const jose::Alg alg : {jose::Alg::kEdDSA, jose::Alg::kES384, jose::Alg::kES512})
        if (contains(listed, jose::to_string(alg))) return alg;
    return fail(ErrorCode::kUnsupported, "the authorization server wants DPoP with an algorithm that is not supported");
}

}  // namespace

Scopes Authorizer::Impl::choose_scope(const Discovery& found, const AuthChallenge& challenge,
                                      const Scopes& before) const {
    Scopes scope = before;
    scope.add_all(challenge.scope);
    for (const auto& name : options_.scopes) scope.add(name);
    if (scope.empty() && found.resource) scope = Scopes(found.resource->scopes_supported);
    const bool offered = contains(found.server.scopes_supported, "offline_access");
    if (offered && options_.offline_access && options_.grant == Grant::kAuthorizationCode) scope.add("offline_access");
    return scope;
}

Result<DpopProver*> Authorizer::Impl::choose_prover(const Discovery& found, const AuthChallenge& challenge) {
    const bool required = found.resource && found.resource->dpop_required;
    const bool bound = tokens_ && tokens_->token_type == "DPoP";  // later challenges need not repeat it
    const bool asked = required || bound || (challenge.dpop && !found.server.dpop_algs.empty());
    if (options_.dpop == Dpop::kNever || (options_.dpop == Dpop::kWhenAsked && !asked)) {
        prover_.reset();
        return nullptr;
    }
    GANTRY_TRY(const jose::Alg alg, choose_dpop_alg(found.server.dpop_algs));
    if (!prover_ || !prover_->key().permits(alg, jose::Operation::kSign)) {
        GANTRY_TRY(jose::Key key, jose::Key::generate(alg));
        prover_.emplace(std::move(key));
    }
    return &*prover_;
}

Task<Result<void>> Authorizer::Impl::login(const Context& ctx, Discovery found, const AuthChallenge& challenge,
                                           Scopes before) {
    if (options_.grant != Grant::kAuthorizationCode || !agent_)
        co_return co_await log_in_at(ctx, std::move(found), challenge, std::move(before));
    const SingleFlight::Asking asking(flight_);
    auto done = co_await log_in_at(ctx, std::move(found), challenge, std::move(before));
    co_await agent_->finish();
    co_return done;
}

Task<Result<void>> Authorizer::Impl::log_in_at(const Context& ctx, Discovery found, const AuthChallenge& challenge,
                                               Scopes before) {
    const ServerMetadata& server = found.server;
    if (binding_ && binding_->issuer != server.issuer) {
        // Another authorization server: earlier grants are meaningless there. A client configured for one fails below.
        co_await drop_tokens(ctx);
        prover_.reset();
    }
    const Scopes scope = choose_scope(found, challenge, before);
    // A registration may limit the client to its scopes: include those of later step-ups.
    Scopes usable = scope;
    if (found.resource) usable.add_all(Scopes(found.resource->scopes_supported));
    GANTRY_CO_TRY(const Client client, co_await choose_client(ctx, server, usable));
    GANTRY_CO_TRY(DpopProver* const prover, choose_prover(found, challenge));

    GrantTarget target;
    target.resource = found.resource ? found.resource->resource : std::string();
    target.scope = scope;
    const TokenEndpoint endpoint{fetch_, server, client.identity, prover, options_.now()};
    auto tokens = co_await run_grant(ctx, endpoint, target, client);
    if (!tokens) {
        // The server may have forgotten a client we registered: the next attempt registers a new one. A server
        // that does not know the client tells the user so and sends no redirect, which looks like a timeout to us.
        const std::string& why = tokens.error().message();
        const bool nobody_came = tokens.error().code() == ErrorCode::kTimeout;
        if (client.registered && (nobody_came || why.ends_with("invalid_client") || why.ends_with("invalid_scope")))
            static_cast<void>(co_await store_.erase_registration(Context().within(kTidyUp), server.issuer));
        co_return std::unexpected(tokens.error());
    }
    if (options_.dpop == Dpop::kAlways && tokens->token_type != "DPoP")
        co_return fail(ErrorCode::kUnsupported,
                       "the authorization server issued a bearer token although DPoP is required");

    asked_ = scope;
    Scopes all = scope;
    all.add_all(tokens->scope);
    binding_ = ServerBinding{server.issuer, client.identity.client_id, target.resource, all.text()};
    discovery_ = std::move(found);
    auto kept = co_await keep(ctx, *std::move(tokens));
    if (!kept && options_.warn) options_.warn(kept.error().within("the tokens could not be stored"));
    co_return Result<void>();
}

Task<Result<Tokens>> Authorizer::Impl::run_grant(const Context& ctx, const TokenEndpoint& endpoint, GrantTarget target,
                                                 const Client& client) {
    switch (options_.grant) {
        case Grant::kAuthorizationCode:
            // Do not send the user's browser to a target that is forbidden to us.
            if (const auto url = Url::parse(endpoint.server.authorization_endpoint))
                GANTRY_CO_CHECK(home_->check(*url));
            co_return co_await authorization_code_grant(ctx, endpoint, std::move(target), *agent_, client.redirect_uri);
        case Grant::kClientCredentials: co_return co_await client_credentials_grant(ctx, endpoint, std::move(target));
        case Grant::kEnterprise: co_return co_await enterprise_grant(ctx, endpoint, std::move(target));
        case Grant::kWorkloadIdentity: {
            if (!options_.workload_assertion)
                co_return fail(ErrorCode::kInvalidArgument, "workload identity needs a source of assertions");
            GANTRY_CO_TRY(std::string assertion, co_await options_.workload_assertion(ctx, endpoint.server.issuer));
            co_return co_await jwt_bearer_grant(ctx, endpoint, std::move(target), std::move(assertion));
        }
    }
    co_return fail(ErrorCode::kInvalidArgument, "unknown grant");
}

Task<Result<Tokens>> Authorizer::Impl::enterprise_grant(const Context& ctx, const TokenEndpoint& endpoint,
                                                        GrantTarget target) {
    const AuthOptions::Enterprise& idp = options_.enterprise;
    if (!idp.id_token)
        co_return fail(ErrorCode::kInvalidArgument, "enterprise authorization needs a source of ID tokens");
    ServerMetadata provider;
    provider.issuer = idp.issuer;
    provider.token_endpoint = idp.token_endpoint;
    if (idp.token_endpoint.empty()) {
        GANTRY_CO_TRY(provider, co_await discover_issuer(ctx, configured_fetch_, idp.issuer));
    }
    ClientRegistration registration;
    registration.client_id = idp.client_id;
    registration.client_secret = idp.client_secret;
    GANTRY_CO_TRY(const ClientIdentity identity, choose_identity(registration, std::nullopt, provider));
    const TokenEndpoint exchange{configured_fetch_, provider, identity, nullptr, options_.now()};
    GANTRY_CO_TRY(std::string id_token, co_await idp.id_token(ctx, idp.issuer));
    GANTRY_CO_TRY(std::string grant,
                  co_await exchange_for_id_jag(ctx, exchange, target, endpoint.server.issuer, std::move(id_token)));
    co_return co_await jwt_bearer_grant(ctx, endpoint, std::move(target), std::move(grant));
}

}  // namespace gantry::auth
