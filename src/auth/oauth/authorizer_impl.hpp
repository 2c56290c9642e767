#pragma once
// Implementation of Authorizer; internal to auth/oauth.

#include <optional>

#include "auth/oauth/authorizer.hpp"
#include "auth/oauth/discovery.hpp"
#include "auth/oauth/single_flight.hpp"
#include "io/sync.hpp"

namespace gantry::auth {

class Authorizer::Impl {
public:
    Impl(Url server, AuthOptions options, Fetch fetch, TokenStore& store, UserAgent* agent)
        : server_(std::move(server)),
          options_(std::move(options)),
          home_(std::make_shared<NetworkZone>(server_)),
          fetch_(make_outward_fetch(fetch, home_)),
          configured_fetch_(std::move(fetch)),
          store_(store),
          agent_(agent) {}

    Task<Result<Fields>> headers_for(const Context& ctx, Request request);
    Task<Result<http::Retry>> on_response(const Context& ctx, Request request, Answer answer);
    Task<Result<void>> log_out(const Context& ctx);

private:
    /// A client identity at one authorization server.
    struct Client {
        ClientIdentity identity;
        std::string redirect_uri;  // code grant only
        bool registered = false;   // dynamically, so it can be renewed
    };

    // authorizer.cpp: control flow
    Task<Result<http::Retry>> answer_challenge(const Context& ctx, int status, const AuthChallenge& challenge);
    Task<Result<http::Retry>> on_unauthorized(const Context& ctx, const AuthChallenge& challenge);
    Task<Result<http::Retry>> on_insufficient_scope(const Context& ctx, const AuthChallenge& challenge);
    Result<Fields> fields(std::string_view method, const Url& url) const;
    /// Whether these are the tokens we would send now.
    bool is_current(const Fields& sent) const;
    bool expired() const;
    /// Whether a token would travel unencrypted over a network.
    bool in_the_clear() const { return !server_.is_https() && !home_->is_this_machine(); }
    void note_success() noexcept;
    /// False once the attempts of the window are used up.
    bool may_try(int& attempts, int limit);

    // token_care.cpp: the tokens in memory and in the store
    Task<Result<void>> load(const Context& ctx);
    /// Adopts tokens that another process stored meanwhile. True if the access token differs from ours.
    Task<Result<bool>> adopt(const Context& ctx);
    /// True if there are fresh tokens; false if a new login is needed.
    Task<Result<bool>> refresh(const Context& ctx, const Discovery* known);
    Task<Result<bool>> refresh_at(const Context& ctx, const ServerMetadata& server);
    Task<Result<void>> keep(const Context& ctx, Tokens tokens);
    Task<void> drop_tokens(const Context& ctx);
    TokenKey token_key() const;
    Result<void> use_prover(const std::string& pem);

    // login.cpp: from a challenge to tokens
    Task<Result<void>> login(const Context& ctx, Discovery found, const AuthChallenge& challenge, Scopes before);
    Task<Result<void>> log_in_at(const Context& ctx, Discovery found, const AuthChallenge& challenge, Scopes before);
    Scopes choose_scope(const Discovery& found, const AuthChallenge& challenge, const Scopes& before) const;
    Result<DpopProver*> choose_prover(const Discovery& found, const AuthChallenge& challenge);
    Task<Result<Tokens>> run_grant(const Context& ctx, const TokenEndpoint& endpoint, GrantTarget target,
                                   const Client& client);
    Task<Result<Tokens>> enterprise_grant(const Context& ctx, const TokenEndpoint& endpoint, GrantTarget target);

    // client_choice.cpp: the client identity
    Task<Result<Client>> choose_client(const Context& ctx, const ServerMetadata& server, const Scopes& scope);
    Task<Result<Client>> registered_client(const Context& ctx, const ServerMetadata& server, const Scopes& scope);
    /// The client the current tokens belong to, for refreshing.
    Task<Result<ClientIdentity>> present_identity(const Context& ctx, const ServerMetadata& server);
    Result<void> check_configured_issuer(const ServerMetadata& server) const;
    Result<std::optional<jose::Key>> private_key() const;

    Url server_;
    AuthOptions options_;
    std::shared_ptr<NetworkZone> home_;
    Fetch fetch_;             // for URLs given by the server
    Fetch configured_fetch_;  // for URLs configured by the user
    TokenStore& store_;
    UserAgent* agent_;

    SingleFlight flight_;  // single-flight: one refresh or login at a time
    bool loaded_ = false;
    bool stored_ = true;  // the store has the current tokens; false after a failed save
    std::optional<ServerBinding> binding_;
    std::optional<Tokens> tokens_;
    std::optional<DpopProver> prover_;
    Scopes asked_;  // union of the requested scopes, for step-ups
    std::optional<Discovery> discovery_;

    int logins_ = 0;
    int step_ups_ = 0;
    bool refreshed_ = false;  // since the last successful response
    TimePoint window_start_{};
};

}  // namespace gantry::auth
