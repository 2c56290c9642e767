#include "auth/oauth/authorizer_impl.hpp"
#include "base/try.hpp"

namespace gantry::auth {
namespace {

/// What cannot be read any more is as good as gone; a store that cannot be opened is not.
template <class T>
Result<std::optional<T>> readable(Result<std::optional<T>> stored) {
    if (!stored && stored.error().code() == ErrorCode::kParse) return std::optional<T>();
    return stored;
}

}  // namespace

TokenKey Authorizer::Impl::token_key() const {
    return {binding_->issuer, binding_->client_id, binding_->resource};
}

Result<void> Authorizer::Impl::use_prover(const std::string& pem) {
    GANTRY_TRY(jose::Key key, jose::Key::from_pem(pem));
    prover_.emplace(std::move(key));
    return {};
}

Task<Result<void>> Authorizer::Impl::load(const Context& ctx) {
    if (loaded_) co_return Result<void>();
    GANTRY_CO_TRY(auto binding, readable(co_await store_.binding(ctx, server_.text())));
    // Another client was configured meanwhile: its predecessor's tokens are not ours.
    if (binding && !options_.client_id.empty() && binding->client_id != options_.client_id) binding.reset();
    if (binding) {
        GANTRY_CO_TRY(auto tokens,
                      readable(co_await store_.tokens(ctx, {binding->issuer, binding->client_id, binding->resource})));
        if (tokens && !tokens->dpop_key.empty() && !use_prover(tokens->dpop_key)) tokens.reset();
        asked_.add_all(binding->scope);
        tokens_ = std::move(tokens);
        binding_ = std::move(binding);
    }
    loaded_ = true;
    co_return Result<void>();
}

Task<Result<void>> Authorizer::Impl::keep(const Context& ctx, Tokens tokens) {
    tokens_ = std::move(tokens);
    ++generation_;
    GANTRY_CO_CHECK(co_await store_.save_tokens(ctx, token_key(), *tokens_));
    co_return co_await store_.save_binding(ctx, server_.text(), *binding_);
}

Task<void> Authorizer::Impl::drop_tokens(const Context& ctx) {
    tokens_.reset();
    // Best effort: a token that is refused does no harm in the store.
    if (binding_) static_cast<void>(co_await store_.erase_tokens(ctx, token_key()));
}

Task<Result<bool>> Authorizer::Impl::refresh(const Context& ctx, const Discovery* known) {
    if (tokens_->refresh_token.empty()) {
        co_await drop_tokens(ctx);
        co_return false;
    }
    if (!known && !discovery_) {
        GANTRY_CO_TRY(Discovery found, co_await discover(ctx, fetch_, server_, AuthChallenge(), binding_->issuer));
        discovery_ = std::move(found);
    }
    const ServerMetadata server = known ? known->server : discovery_->server;
    if (server.issuer != binding_->issuer) {  // moved: nothing of ours is known there
        discovery_.reset();
        co_await drop_tokens(ctx);
        co_return false;
    }
    GANTRY_CO_TRY(const ClientIdentity identity, co_await present_identity(ctx, server));
    const TokenEndpoint endpoint{fetch_, server, identity, prover_ ? &*prover_ : nullptr, options_.now()};
    GANTRY_CO_TRY(TokenReply reply,
                  co_await refresh_grant(ctx, endpoint, tokens_->refresh_token, binding_->resource, tokens_->scope));
    if (reply.error == "invalid_client") static_cast<void>(co_await store_.erase_registration(ctx, server.issuer));
    if (reply.error == "invalid_grant" || reply.error == "invalid_client") {
        co_await drop_tokens(ctx);
        co_return false;
    }
    if (!reply.error.empty()) co_return fail(refusal("the token refresh", reply.error));
    const bool rotated = reply.tokens->refresh_token != tokens_->refresh_token;
    auto kept = co_await keep(ctx, *std::move(reply.tokens));
    if (!kept && rotated)
        co_return fail(
            kept.error().within("the refresh token was replaced but the new one could not be stored; after a restart "
                                "you must log in again"));
    co_return true;
}

Task<Result<void>> Authorizer::Impl::log_out(const Context& ctx) {
    GANTRY_CO_TRY(const auto guard, co_await mutex_.lock(ctx));
    GANTRY_CO_CHECK(co_await load(ctx));
    tokens_.reset();
    asked_ = Scopes();
    if (!binding_) co_return Result<void>();
    GANTRY_CO_CHECK(co_await store_.erase_tokens(ctx, token_key()));
    co_return co_await store_.erase_binding(ctx, server_.text());
}

}  // namespace gantry::auth
