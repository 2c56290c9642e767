#include "auth/oauth/fake_world.hpp"

#include "auth/jose/jws.hpp"
#include "auth/oauth/code_flow.hpp"
#include "auth/oauth/form.hpp"
#include "base/url.hpp"

namespace gantry::auth {

FetchedResponse json_answer(const Json& body, int status) {
    return {status, {{"Content-Type", "application/json"}}, body.dump()};
}
FetchedResponse not_found() {
    return {404, {}, "not here"};
}
Params params_of(std::string_view query) {
    Params out;
    if (const auto parsed = parse_query(query))
        for (const auto& [name, value] : *parsed) out[name] = value;
    return out;
}

FakeAuthorizationServer::FakeAuthorizationServer(std::string issuer) : issuer_(std::move(issuer)) {
    origin_ = Url::parse(issuer_)->origin();
    metadata = JsonObject{{"issuer", issuer_},
                          {"authorization_endpoint", origin_ + "/authorize"},
                          {"token_endpoint", origin_ + "/token"},
                          {"registration_endpoint", origin_ + "/register"},
                          {"code_challenge_methods_supported", JsonArray{"S256"}},
                          {"token_endpoint_auth_methods_supported", JsonArray{"none", "client_secret_basic"}}};
}

int FakeAuthorizationServer::count(const std::string& path) const {
    int n = 0;
    for (const auto& request : seen) n += request.path == path;
    return n;
}

const FakeAuthorizationServer::Seen* FakeAuthorizationServer::last(const std::string& path) const {
    for (auto it = seen.rbegin(); it != seen.rend(); ++it)
        if (it->path == path) return &*it;
    return nullptr;
}

std::string FakeAuthorizationServer::authorize(const std::string& url) {
    const Url parsed = *Url::parse(url);
    const Params params = params_of(parsed.query());
    seen.push_back({parsed.path(), params, {}, {}, {}});
    Form out;
    if (authorize_error.empty()) {
        const std::string code = "code-" + std::to_string(seen.size());
        challenges_[code] = params.at("code_challenge");
        out.add("code", code);
    } else {
        out.add("error", authorize_error);
    }
    out.add("state", params.at("state"));
    out.add_if("iss", answer_iss);
    return params.at("redirect_uri") + "?" + out.text();
}

FetchedResponse FakeAuthorizationServer::handle(const http::Request& request) {
    const std::string& path = request.url.path();
    if (path.find("/.well-known/") != std::string::npos) {
        seen.push_back({path, {}, {}, {}, {}});
        return serve_metadata && path.starts_with("/.well-known/oauth-authorization-server")
                   ? json_answer(Json(metadata))
                   : not_found();
    }
    Seen what{path,
              params_of(request.body),
              std::string(request.headers.get("Authorization").value_or("")),
              std::string(request.headers.get("DPoP").value_or("")),
              {}};
    if (path == "/authorize") {
        FetchedResponse redirect{302, {}, {}};
        redirect.headers.set("Location", authorize(request.url.text()));
        return redirect;
    }
    if (path == "/register") {
        what.body = Json::parse(request.body).value_or(Json());
        seen.push_back(what);
        JsonObject answer{{"client_id", client_id}, {"redirect_uris", *what.body.find("redirect_uris")}};
        if (!client_secret.empty()) answer.set("client_secret", client_secret);
        if (!registration_method.empty()) answer.set("token_endpoint_auth_method", registration_method);
        return json_answer(Json(answer), 201);
    }
    if (path == "/token") {
        seen.push_back(what);
        return token(what);
    }
    return not_found();
}

FetchedResponse FakeAuthorizationServer::token(const Seen& request) {
    const auto error = [](const char* code) { return json_answer(Json(JsonObject{{"error", code}}), 400); };
    if (!token_error.empty()) return error(token_error.c_str());
    if (!require_nonce.empty()) {
        const auto proof = jose::decode_unverified(request.dpop);
        if (!proof || Json::parse(proof->payload)->string_at("nonce") != require_nonce) {
            auto answer = error("use_dpop_nonce");
            answer.headers.set("DPoP-Nonce", require_nonce);
            return answer;
        }
    }
    const auto get = [&](const char* name) {
        const auto found = request.params.find(name);
        return found == request.params.end() ? std::string() : found->second;
    };
    if (get("grant_type") == "authorization_code") {
        const auto challenge = challenges_.find(get("code"));
        if (challenge == challenges_.end() || challenge->second != s256_challenge(get("code_verifier")))
            return error("invalid_grant");
        challenges_.erase(challenge);
    }
    // This server treats reuse of a rotated refresh token as theft.
    if (get("grant_type") == "refresh_token" && get("refresh_token") != refresh_token_) {
        refresh_token_.clear();
        return error("invalid_grant");
    }
    const std::string number = std::to_string(++issued_);
    JsonObject answer{{"access_token", "access-" + number}, {"token_type", token_type}, {"expires_in", expires_in}};
    if (give_refresh_token && (rotate || get("grant_type") != "refresh_token")) {
        refresh_token_ = "refresh-" + number;
        answer.set("refresh_token", refresh_token_);
    }
    if (!issued_token_type.empty()) answer.set("issued_token_type", issued_token_type);
    return json_answer(Json(answer));
}

Task<Result<FetchedResponse>> FakeWorld::answer(FakeWorld& world, http::Request request) {
    world.visited.push_back(request.url.text());
    const auto server = world.servers_.find(request.url.origin());
    if (server == world.servers_.end()) co_return fail(ErrorCode::kConnection, "no such server");
    co_return server->second(request);
}

Fetch FakeWorld::fetch() {
    return [this](const Context&, http::Request request) { return answer(*this, std::move(request)); };
}

}  // namespace gantry::auth
