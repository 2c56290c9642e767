#pragma once
// For tests: an authorization server, and the world around it, in memory.

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "auth/oauth/fetch.hpp"
#include "gantry/json.hpp"

namespace gantry::auth {

using Params = std::map<std::string, std::string>;

/// A small, strict authorization server: checks PKCE, redirect URI and client authentication, and records all requests.
/// Its members are settings; change them before use.
class FakeAuthorizationServer {
public:
    explicit FakeAuthorizationServer(std::string issuer);

    struct Seen {
        std::string path;
        Params params;
        std::string authorization;
        std::string dpop;
        Json body;
    };

    FetchedResponse handle(const http::Request& request);
    /// The redirect of the authorization endpoint, which a browser would follow.
    std::string authorize(const std::string& url);

    JsonObject metadata;  // served at the RFC 8414 place
    bool serve_metadata = true;
    std::string client_id = "registered-client";  // issued on registration
    std::string client_secret;
    std::string registration_method;  // token_endpoint_auth_method in the registration's answer
    std::string answer_iss;           // iss in the redirect; empty: none
    std::string authorize_error;
    std::string token_error;  // returned instead of tokens
    bool rotate = true;
    bool give_refresh_token = true;
    int expires_in = 3600;
    std::string require_nonce;  // DPoP nonce required at the token endpoint
    std::string token_type = "Bearer";
    std::string issued_token_type;

    std::vector<Seen> seen;
    int count(const std::string& path) const;
    const Seen* last(const std::string& path) const;

private:
    FetchedResponse token(const Seen& request);

    std::string issuer_;
    std::string origin_;
    int issued_ = 0;
    std::string refresh_token_;                      // the only valid one
    std::map<std::string, std::string> challenges_;  // by code
};

/// Routes requests by origin; unknown origins are unreachable.
class FakeWorld {
public:
    using Server = std::function<FetchedResponse(const http::Request&)>;

    void serve(std::string origin, Server server) { servers_[std::move(origin)] = std::move(server); }
    void serve(std::string origin, FakeAuthorizationServer& server) {
        serve(std::move(origin), [&server](const http::Request& request) { return server.handle(request); });
    }
    Fetch fetch();
    /// Every URL fetched, in order.
    std::vector<std::string> visited;

private:
    static Task<Result<FetchedResponse>> answer(FakeWorld& world, http::Request request);
    std::map<std::string, Server> servers_;
};

FetchedResponse json_answer(const Json& body, int status = 200);
FetchedResponse not_found();
Params params_of(std::string_view query);

}  // namespace gantry::auth
