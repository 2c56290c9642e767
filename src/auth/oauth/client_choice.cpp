#include "auth/oauth/authorizer_impl.hpp"
#include "auth/oauth/registration.hpp"
#include "base/try.hpp"

namespace gantry::auth {
namespace {

using Grant = AuthOptions::Grant;

/// A redirect carries the code: only over https, to this machine, or to an app with a private scheme.
Result<void> check_redirect(std::string_view uri) {
    if (uri.starts_with("http://") || uri.starts_with("https://")) {
        GANTRY_CHECK(parse_secure_url(uri, "the redirect URI"));
    } else if (uri.find(':') == std::string_view::npos) {
        return fail(ErrorCode::kInvalidArgument, "the redirect URI is not a URI");
    }
    return {};
}

/// A client ID metadata document's URL: https, with a path, without fragment.
Result<void> check_document_url(std::string_view text) {
    const auto url = Url::parse(text);
    if (!url || !url->is_https() || url->path() == "/" || text.find('#') != std::string_view::npos)
        return fail(ErrorCode::kInvalidArgument, "the client metadata URL must be https with a path");
    return {};
}

}  // namespace

Result<std::optional<jose::Key>> Authorizer::Impl::private_key() const {
    if (options_.private_key.empty()) return std::optional<jose::Key>();
    auto key = jose::Key::from_pem(options_.private_key);
    if (!key) return fail(key.error().within("the client's private key"));
    return std::optional(key->with_kid(options_.private_key_id));
}

Result<void> Authorizer::Impl::check_configured_issuer(const ServerMetadata& server) const {
    const bool configured = !options_.client_issuer.empty();
    const std::string bound = configured                                              ? options_.client_issuer
                              : binding_ && binding_->client_id == options_.client_id ? binding_->issuer
                                                                                      : std::string();
    if (!bound.empty() && bound != server.issuer)
        return fail(ErrorCode::kDenied,
                    server_.origin() +
                        " now names another authorization server than the one the configured client "
                        "belongs to; register a client there and configure it");
    return {};
}

Task<Result<Authorizer::Impl::Client>> Authorizer::Impl::choose_client(const Context& ctx, const ServerMetadata& server,
                                                                       const Scopes& scope) {
    const bool by_person = options_.grant == Grant::kAuthorizationCode;
    if (by_person && !agent_)
        co_return fail(ErrorCode::kUnauthorized,
                       server_.origin() + " requires a login, and nobody can be asked to log in here");
    Client client;
    if (!options_.client_id.empty()) {
        GANTRY_CO_CHECK(check_configured_issuer(server));
        ClientRegistration configured;
        configured.client_id = options_.client_id;
        configured.client_secret = options_.client_secret;
        GANTRY_CO_TRY(auto key, private_key());
        GANTRY_CO_TRY(client.identity, choose_identity(configured, std::move(key), server));
    } else if (!by_person) {
        co_return fail(ErrorCode::kInvalidArgument, "this grant needs a configured client_id");
    } else if (!options_.client_metadata_url.empty() && server.client_id_documents) {
        GANTRY_CO_CHECK(check_document_url(options_.client_metadata_url));
        ClientRegistration document;
        document.client_id = options_.client_metadata_url;
        GANTRY_CO_TRY(auto key, private_key());
        GANTRY_CO_TRY(client.identity, choose_identity(document, std::move(key), server));
    } else if (!server.registration_endpoint.empty()) {
        co_return co_await registered_client(ctx, server, scope);
    } else {
        co_return fail(ErrorCode::kUnauthorized,
                       "the authorization server of " + server_.origin() +
                           " does not let clients register themselves. Register one there by hand and configure its "
                           "client_id (and client_secret), or configure a client metadata URL if it supports them");
    }
    if (by_person) {
        GANTRY_CO_TRY(client.redirect_uri, co_await agent_->redirect_uri(ctx, std::string()));
        GANTRY_CO_CHECK(check_redirect(client.redirect_uri));
    }
    co_return client;
}

Task<Result<Authorizer::Impl::Client>> Authorizer::Impl::registered_client(const Context& ctx,
                                                                           const ServerMetadata& server,
                                                                           const Scopes& scope) {
    auto stored = co_await store_.registration(ctx, server.issuer);
    if (!stored && stored.error().code() != ErrorCode::kParse) co_return std::unexpected(stored.error());
    std::optional<ClientRegistration> known = stored ? *std::move(stored) : std::nullopt;
    if (known && known->secret_expires_at && *known->secret_expires_at <= jose::to_numeric_date(options_.now()))
        known.reset();
    GANTRY_CO_TRY(const std::string redirect,
                  co_await agent_->redirect_uri(ctx, known ? known->redirect_uri : std::string()));
    GANTRY_CO_CHECK(check_redirect(redirect));
    if (!known || known->redirect_uri != redirect) {
        GANTRY_CO_TRY(known, co_await register_client(ctx, fetch_, server, {options_.client_name, redirect, scope}));
        // If not stored, the next start merely registers again.
        auto saved = co_await store_.save_registration(ctx, server.issuer, *known);
        if (!saved && options_.warn) options_.warn(saved.error());
    }
    Client client;
    client.registered = true;
    client.redirect_uri = redirect;
    GANTRY_CO_TRY(client.identity, choose_identity(*known, std::nullopt, server));
    co_return client;
}

Task<Result<ClientIdentity>> Authorizer::Impl::present_identity(const Context& ctx, const ServerMetadata& server) {
    ClientRegistration registration;
    registration.client_id = binding_->client_id;
    GANTRY_CO_TRY(auto key, private_key());
    if (binding_->client_id == options_.client_id) {
        registration.client_secret = options_.client_secret;
    } else if (binding_->client_id != options_.client_metadata_url) {
        key.reset();
        GANTRY_CO_TRY(auto stored, co_await store_.registration(ctx, server.issuer));
        if (stored && stored->client_id == binding_->client_id) registration = *std::move(stored);
    }
    co_return choose_identity(registration, std::move(key), server);
}

}  // namespace gantry::auth
