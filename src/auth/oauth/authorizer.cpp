#include "auth/oauth/authorizer.hpp"

#include "auth/oauth/authorizer_impl.hpp"
#include "base/try.hpp"

namespace gantry::auth {
namespace {

constexpr std::int64_t kExpiryMargin = 10;  // seconds: a token must not expire in transit

struct Owned {
    std::shared_ptr<TokenStore> store;
    std::unique_ptr<UserAgent> agent;
};

/// The first base outlives the second, which borrows from it.
class OwningAuthorizer final : private Owned, public Authorizer {
public:
    OwningAuthorizer(const Url& server, AuthOptions options, Fetch fetch, Owned owned)
        : Owned(std::move(owned)), Authorizer(server, std::move(options), std::move(fetch), *store, agent.get()) {}
};

}  // namespace

Task<Result<Authorizer::Fields>> Authorizer::Impl::headers_for(const Context& ctx, Request request) {
    if (request.url.origin() != server_.origin() || in_the_clear()) co_return Fields();
    if (!loaded_ || expired()) {
        const SingleFlight::Member member(flight_, ctx, std::move(request.on_login));
        GANTRY_CO_TRY(SingleFlight::Turn turn, co_await flight_.turn(ctx, member, "refresh", options_.login_timeout));
        GANTRY_CO_CHECK(co_await load(turn.context()));
        // Another task may have refreshed while this one waited.
        if (expired()) {
            if (auto fresh = co_await refresh(turn.context(), nullptr); !fresh) {
                turn.failed(fresh.error());
                co_return fail(std::move(fresh).error());
            }
        }
        GANTRY_CO_CHECK(ctx.check());
    }
    co_return fields(request.method, request.url);
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

bool Authorizer::Impl::is_current(const Fields& sent) const {
    const std::string_view now = sent.empty() ? std::string_view() : std::string_view(sent[0].second);
    return now == (tokens_ ? tokens_->token_type + " " + tokens_->access_token : std::string());
}

bool Authorizer::Impl::expired() const {
    if (!tokens_ || !tokens_->expires_at) return false;
    // A token that cannot be refreshed is used until it expires: a new one may cost a login.
    const std::int64_t margin = tokens_->refresh_token.empty() ? 0 : kExpiryMargin;
    return jose::to_numeric_date(options_.now()) + margin >= *tokens_->expires_at;
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

Task<Result<http::Retry>> Authorizer::Impl::on_response(const Context& ctx, Request request, Answer answer) {
    if (request.url.origin() != server_.origin()) co_return http::Retry::kNo;
    home_->saw(answer.peer);
    if (prover_) prover_->note_nonce(request.url, answer.headers.get("DPoP-Nonce").value_or(""));
    if (answer.status != 401 && answer.status != 403) {
        if (answer.status < 400) note_success();
        co_return http::Retry::kNo;
    }
    const AuthChallenge challenge = read_challenge(answer.headers);
    if (answer.status == 403) {
        if (challenge.error != "insufficient_scope" || challenge.scope.empty()) co_return http::Retry::kNo;
    } else if (challenge.error == "use_dpop_nonce" && tokens_ && is_current(answer.sent)) {
        if (prover_ && answer.sent.size() > 1 && !prover_->has_current_nonce(request.url, answer.sent[1].second))
            co_return http::Retry::kYes;
        co_return fail(ErrorCode::kUnauthorized, server_.origin() + " asks for a DPoP nonce without giving a new one");
    }
    if (in_the_clear())
        co_return fail(ErrorCode::kDenied, server_.origin() +
                                               " wants a token but is reached without encryption; configure its https "
                                               "URL");
    const SingleFlight::Member member(flight_, ctx, std::move(request.on_login));
    const std::string what = std::to_string(answer.status) + " " + challenge.scope;
    GANTRY_CO_TRY(SingleFlight::Turn turn, co_await flight_.turn(ctx, member, what, options_.login_timeout));
    GANTRY_CO_CHECK(co_await load(turn.context()));
    // Another rejected request may have obtained new tokens already.
    if (tokens_ && !is_current(answer.sent)) co_return http::Retry::kYes;
    auto retry = co_await answer_challenge(turn.context(), answer.status, challenge);
    if (!retry) turn.failed(retry.error());
    GANTRY_CO_CHECK(ctx.check());
    co_return retry;
}

Task<Result<http::Retry>> Authorizer::Impl::answer_challenge(const Context& ctx, int status,
                                                             const AuthChallenge& challenge) {
    GANTRY_CO_TRY(const bool newer, co_await adopt(ctx));
    if (newer && !expired() && (status == 401 || Scopes(tokens_->scope).contains_all(Scopes(challenge.scope))))
        co_return http::Retry::kYes;
    if (status == 403) co_return co_await on_insufficient_scope(ctx, challenge);
    co_return co_await on_unauthorized(ctx, challenge);
}

Task<Result<http::Retry>> Authorizer::Impl::on_unauthorized(const Context& ctx, const AuthChallenge& challenge) {
    // Discovered each time: the server may have moved to another authorization server.
    const std::string preferred = binding_ ? binding_->issuer : std::string();
    GANTRY_CO_TRY(Discovery found, co_await discover(ctx, fetch_, server_, challenge, preferred));
    if (tokens_ && !refreshed_ && binding_ && binding_->issuer == found.server.issuer) {
        refreshed_ = true;
        GANTRY_CO_TRY(const bool fresh, co_await refresh(ctx, &found));
        if (fresh) co_return http::Retry::kYes;
    }
    if (!may_try(logins_, options_.max_logins))
        co_return fail(ErrorCode::kUnauthorized,
                       server_.origin() + " keeps refusing tokens that its authorization server has just issued");
    // Scopes requested before are requested again, but they are meaningless at another authorization server.
    Scopes before = binding_ && binding_->issuer == found.server.issuer ? asked_ : Scopes();
    GANTRY_CO_CHECK(co_await login(ctx, std::move(found), challenge, std::move(before)));
    co_return http::Retry::kYes;
}

Task<Result<http::Retry>> Authorizer::Impl::on_insufficient_scope(const Context& ctx, const AuthChallenge& challenge) {
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
    co_return http::Retry::kYes;
}

Authorizer::Authorizer(Url server, AuthOptions options, Fetch fetch, TokenStore& store, UserAgent* agent)
    : impl_(std::make_unique<Impl>(std::move(server), std::move(options), std::move(fetch), store, agent)) {}

Authorizer::~Authorizer() = default;

Task<Result<Authorizer::Fields>> Authorizer::headers_for(const Context& ctx, Request request) {
    return impl_->headers_for(ctx, std::move(request));
}

Task<Result<http::Retry>> Authorizer::on_response(const Context& ctx, Request request, Answer answer) {
    return impl_->on_response(ctx, std::move(request), answer);
}

Task<Result<void>> Authorizer::log_out(const Context& ctx) {
    return impl_->log_out(ctx);
}

std::unique_ptr<http::Authorization> make_authorizer(const Url& server, AuthOptions options, http::Client& client,
                                                     std::shared_ptr<TokenStore> store,
                                                     std::unique_ptr<UserAgent> agent) {
    return std::make_unique<OwningAuthorizer>(server, std::move(options), make_http_fetch(client),
                                              Owned{.store = std::move(store), .agent = std::move(agent)});
}

}  // namespace gantry::auth
