#include "auth/oauth/authorizer_impl.hpp"
#include "base/try.hpp"

namespace gantry::auth {
namespace {

/// The lock is held for one token request; a holder that takes longer is considered stuck and ignored.
constexpr Duration kLockPatience = seconds(60);

/// Treats an unreadable entry as absent; a store that cannot be opened remains an error.
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
    GANTRY_CO_TRY(const bool found, co_await adopt(ctx));
    static_cast<void>(found);
    loaded_ = true;
    co_return Result<void>();
}

Task<Result<bool>> Authorizer::Impl::adopt(const Context& ctx) {
    if (!stored_) co_return false;  // the tokens in memory are newer
    GANTRY_CO_TRY(auto binding, readable(co_await store_.binding(ctx, server_.text())));
    // Another client was configured meanwhile: its predecessor's tokens are not ours.
    if (!binding || (!options_.client_id.empty() && binding->client_id != options_.client_id)) co_return false;
    GANTRY_CO_TRY(auto tokens,
                  readable(co_await store_.tokens(ctx, {binding->issuer, binding->client_id, binding->resource})));
    if (tokens && tokens_ && tokens->access_token == tokens_->access_token) co_return false;
    if (tokens && !tokens->dpop_key.empty() && !use_prover(tokens->dpop_key)) tokens.reset();
    asked_.add_all(binding->scope);
    if (!tokens && tokens_) co_return false;
    const bool any = tokens.has_value();
    tokens_ = std::move(tokens);
    binding_ = std::move(binding);
    co_return any;
}

Task<Result<void>> Authorizer::Impl::keep(const Context& ctx, Tokens tokens) {
    tokens_ = std::move(tokens);
    stored_ = false;
    GANTRY_CO_CHECK(co_await store_.save_tokens(ctx, token_key(), *tokens_));
    GANTRY_CO_CHECK(co_await store_.save_binding(ctx, server_.text(), *binding_));
    stored_ = true;
    co_return Result<void>();
}

Task<void> Authorizer::Impl::drop_tokens(const Context& ctx) {
    const auto dropped = std::exchange(tokens_, std::nullopt);
    stored_ = true;
    if (!binding_ || !dropped) co_return;
    // Erase only the rejected tokens: another process may have stored newer ones. Best effort: rejected tokens
    // do no harm in the store.
    const auto stored = co_await store_.tokens(ctx, token_key());
    if (stored && *stored && (*stored)->access_token != dropped->access_token) co_return;
    static_cast<void>(co_await store_.erase_tokens(ctx, token_key()));
}

Task<Result<bool>> Authorizer::Impl::refresh(const Context& ctx, const Discovery* known) {
    if (!tokens_->refresh_token.empty() && !known && !discovery_) {
        GANTRY_CO_TRY(Discovery found, co_await discover(ctx, fetch_, server_, AuthChallenge(), binding_->issuer));
        discovery_ = std::move(found);
    }
    // No other process may use the refresh token until its successor is stored.
    const auto lock = co_await store_.lock_tokens(ctx.within(kLockPatience), token_key());
    GANTRY_CO_CHECK(ctx.check());
    if (!lock && options_.warn) options_.warn(lock.error().within("the tokens' lock"));
    GANTRY_CO_TRY(const bool newer, co_await adopt(ctx));
    if (newer && !expired()) co_return true;
    if (tokens_->refresh_token.empty()) {
        co_await drop_tokens(ctx);
        co_return false;
    }
    if (!known && !discovery_) co_return false;  // adopted just now: if the server rejects them, we get here again
    const ServerMetadata server = known ? known->server : discovery_->server;
    if (server.issuer != binding_->issuer) {  // moved: our client and tokens are unknown there
        discovery_.reset();
        co_await drop_tokens(ctx);
        co_return false;
    }
    co_return co_await refresh_at(ctx, server);
}

Task<Result<bool>> Authorizer::Impl::refresh_at(const Context& ctx, const ServerMetadata& server) {
    GANTRY_CO_TRY(const ClientIdentity identity, co_await present_identity(ctx, server));
    const TokenEndpoint endpoint{fetch_, server, identity, prover_ ? &*prover_ : nullptr, options_.now()};
    const SingleFlight::Shield shield(flight_);
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
    const SingleFlight::Member member(flight_, ctx, {});
    GANTRY_CO_TRY(const SingleFlight::Turn turn, co_await flight_.turn(ctx, member, "log out", options_.login_timeout));
    GANTRY_CO_CHECK(co_await load(ctx));
    tokens_.reset();
    stored_ = true;
    asked_ = Scopes();
    if (!binding_) co_return Result<void>();
    GANTRY_CO_CHECK(co_await store_.erase_tokens(ctx, token_key()));
    co_return co_await store_.erase_binding(ctx, server_.text());
}

}  // namespace gantry::auth
