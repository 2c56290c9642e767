#include "auth/oauth/authorizer.hpp"

#include "auth/oauth/authorizer_impl.hpp"
#include "base/try.hpp"

namespace gantry::auth {
namespace {

constexpr std::int64_t kExpiryMargin = 10;  // seconds: a token must survive the trip

}  // namespace

Task<Result<Authorizer::Fields>> Authorizer::Impl::headers_for(const Context& ctx, std::string_view method,
                                                               const Url& url) {
    if (url.origin() != server_.origin()) co_return Fields();
    if (!loaded_ || expired()) {
        GANTRY_CO_TRY(const auto guard, co_await mutex_.lock(ctx));
        GANTRY_CO_CHECK(co_await load(ctx));
        // Another task may have refreshed while this one waited.
        if (expired()) GANTRY_CO_CHECK(co_await refresh(ctx, nullptr));
    }
    co_return fields(method, url);
}

Result<Authorizer::Fields> Authorizer::Impl::fields(std::string_view method, const Url& url) const {
    Fields out;
    if (!tokens_) return out;
    out.emplace_back("Authorization", tokens_->token_type + " " + tokens_->access_token);
    if (tokens_->token_type == "DPoP" && prover_) {
        GANTRY_TRY(std::string proof, prover_->prove(method, url, tokens_->access_token, options_.now()));
        out.emplace_back("DPoP", std::move(proof));
    }
    return out;
}

bool Authorizer::Impl::expired() const {
    return tokens_ && tokens_->expires_at &&
           jose::to_numeric_date(options_.now()) + kExpiryMargin >= *tokens_->expires_at;
}

void Authorizer::Impl::note_success() noexcept {
    logins_ = 0;
    step_ups_ = 0;
    refreshed_ = false;
}

bool Authorizer::Impl::may_try(int& attempts, int limit) {
    const TimePoint now = SteadyClock::now();
    if (now - window_start_ > options_.attempt_window) {
        note_success();
        window_start_ = now;
    }
    return ++attempts <= limit;
}

Task<Result<Retry>> Authorizer::Impl::on_response(const Context& ctx, const Url& url, int status,
                                                  const http::Headers& headers) {
    if (url.origin() != server_.origin()) co_return Retry::kNo;
    const bool new_nonce = prover_ && prover_->note_nonce(url, headers.get("DPoP-Nonce").value_or(""));
    if (status != 401 && status != 403) {
        if (status < 400) note_success();
        co_return Retry::kNo;
    }
    const AuthChallenge challenge = read_challenge(headers);
    if (status == 403) {
        if (challenge.error != "insufficient_scope" || challenge.scope.empty()) co_return Retry::kNo;
    } else if (challenge.error == "use_dpop_nonce" && tokens_) {
        if (new_nonce) co_return Retry::kYes;
        co_return fail(ErrorCode::kUnauthorized, server_.origin() + " asks for a DPoP nonce without giving a new one");
    }
    const unsigned generation = generation_;
    const Context limited = ctx.within(options_.login_timeout);
    GANTRY_CO_TRY(const auto guard, co_await mutex_.lock(limited));
    if (generation != generation_) co_return Retry::kYes;  // others, refused as well, have new tokens by now
    GANTRY_CO_CHECK(co_await load(limited));
    if (status == 403) co_return co_await on_insufficient_scope(limited, challenge);
    co_return co_await on_unauthorized(limited, challenge);
}

Task<Result<Retry>> Authorizer::Impl::on_unauthorized(const Context& ctx, const AuthChallenge& challenge) {
    // Asked anew each time: the server may have moved to another authorization server.
    const std::string preferred = binding_ ? binding_->issuer : std::string();
    GANTRY_CO_TRY(Discovery found, co_await discover(ctx, fetch_, server_, challenge, preferred));
    if (tokens_ && !refreshed_ && binding_ && binding_->issuer == found.server.issuer) {
        refreshed_ = true;
        GANTRY_CO_TRY(const bool fresh, co_await refresh(ctx, &found));
        if (fresh) co_return Retry::kYes;
    }
    if (!may_try(logins_, options_.max_logins))
        co_return fail(ErrorCode::kUnauthorized,
                       server_.origin() + " keeps refusing tokens that its authorization server has just issued");
    // What was asked for before is asked for again; at another authorization server it means nothing.
    Scopes before = binding_ && binding_->issuer == found.server.issuer ? asked_ : Scopes();
    GANTRY_CO_CHECK(co_await login(ctx, std::move(found), challenge, std::move(before)));
    co_return Retry::kYes;
}

Task<Result<Retry>> Authorizer::Impl::on_insufficient_scope(const Context& ctx, const AuthChallenge& challenge) {
    Scopes wanted = asked_;
    if (tokens_) wanted.add_all(tokens_->scope);
    wanted.add_all(challenge.scope);
    if (!may_try(step_ups_, options_.max_step_ups))
        co_return fail(ErrorCode::kDenied, server_.origin() +
                                               " still wants more scope after repeated authorization; it was granted " +
                                               "what it asked for");
    const std::string preferred = binding_ ? binding_->issuer : std::string();
    GANTRY_CO_TRY(Discovery found, co_await discover(ctx, fetch_, server_, challenge, preferred));
    GANTRY_CO_CHECK(co_await login(ctx, std::move(found), challenge, std::move(wanted)));
    co_return Retry::kYes;
}

Authorizer::Authorizer(Url server, AuthOptions options, Fetch fetch, TokenStore& store, UserAgent* agent)
    : impl_(std::make_unique<Impl>(std::move(server), std::move(options), std::move(fetch), store, agent)) {}

Authorizer::~Authorizer() = default;

Task<Result<Authorizer::Fields>> Authorizer::headers_for(const Context& ctx, std::string_view method, const Url& url) {
    return impl_->headers_for(ctx, method, url);
}

Task<Result<Retry>> Authorizer::on_response(const Context& ctx, std::string_view, const Url& url, int status,
                                            const http::Headers& headers) {
    return impl_->on_response(ctx, url, status, headers);
}

Task<Result<void>> Authorizer::log_out(const Context& ctx) {
    return impl_->log_out(ctx);
}

}  // namespace gantry::auth
