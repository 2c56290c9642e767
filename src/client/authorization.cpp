#include "client/authorization.hpp"

#include "auth/oauth/authorizer.hpp"
#include "auth/oauth/loopback_agent.hpp"
#include "auth/store/token_store.hpp"
#include "base/try.hpp"
#include "client/runtime.hpp"

namespace gantry {

namespace {

auth::AssertionSource on_own_thread(Runtime& runtime, std::function<Result<std::string>()> token) {
    return [&runtime, token = std::move(token)](const Context& ctx, std::string) {
        return runtime.offload<std::string>(ctx, token);
    };
}

Task<Result<std::string>> known(std::string token) {
    co_return token;
}

std::unique_ptr<auth::UserAgent> agent_for(Runtime& runtime, const UserLogin& login) {
    if (login.visit) {
        auto callback = [&runtime, visit = login.visit](const Context& ctx, std::string url) {
            return runtime.offload<std::string>(ctx, [visit, url = std::move(url)] { return visit(url); });
        };
        return auth::make_callback_agent(login.redirect_uri.empty() ? "http://localhost/callback" : login.redirect_uri,
                                         std::move(callback));
    }
    auth::LoopbackOptions loopback{.open_browser = login.open_browser, .show = login.announce};
    if (const auto redirect = Url::parse(login.redirect_uri)) {
        loopback.port = redirect->port();
        loopback.host = redirect->host();
        loopback.path = redirect->path();
    }
    return auth::make_loopback_agent(runtime.loop(), std::move(loopback));
}

Result<std::unique_ptr<auth::TokenStore>> store_for(Authorization::Store kind) {
    if (kind == Authorization::Store::kKeyringOrFile) return auth::open_default_store();
    return std::make_unique<auth::TokenStore>(auth::make_memory_backend());
}

}  // namespace

Result<std::unique_ptr<http::Authorization>> make_authorization(Runtime& runtime, const Authorization& how,
                                                                const Url& server, http::Client& client) {
    using Options = auth::AuthOptions;
    Options options{.client_id = how.client_id,
                    .client_secret = how.client_secret,
                    .client_issuer = how.issuer,
                    .client_metadata_url = how.client_metadata_url,
                    .client_name = how.client_name,
                    .scopes = how.scopes,
                    .dpop = how.dpop ? Options::Dpop::kAlways : Options::Dpop::kWhenAsked};
    std::unique_ptr<auth::UserAgent> agent;
    if (const auto* login = std::get_if<UserLogin>(&how.how)) {
        options.login_timeout = login->timeout;
        agent = agent_for(runtime, *login);
    } else if (const auto* credentials = std::get_if<ClientCredentials>(&how.how)) {
        options.grant = Options::Grant::kClientCredentials;
        options.private_key = credentials->private_key_pem;
    } else if (const auto* enterprise = std::get_if<EnterpriseManaged>(&how.how)) {
        options.grant = Options::Grant::kEnterprise;
        options.enterprise = {
            .issuer = enterprise->idp_issuer,
            .token_endpoint = enterprise->idp_token_endpoint,
            .client_id = enterprise->idp_client_id,
            .id_token = [token = enterprise->idp_id_token](const Context&, std::string) { return known(token); }};
    } else if (const auto* workload = std::get_if<WorkloadIdentity>(&how.how)) {
        options.grant = Options::Grant::kWorkloadIdentity;
        options.workload_assertion = on_own_thread(runtime, workload->token);
    }
    GANTRY_TRY(auto store, store_for(how.store));
    return auth::make_authorizer(server, std::move(options), client, std::move(store), std::move(agent));
}

}  // namespace gantry
