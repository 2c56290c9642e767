#include "auth/oauth/authorizer_rig.hpp"

#include "base/try.hpp"

namespace gantry::auth {

AuthorizerRig::AuthorizerRig() {
    resource_metadata_ = JsonObject{{"resource", kServer}, {"authorization_servers", JsonArray{kIssuer}}};
    first_challenge_ = std::string("Bearer resource_metadata=\"") + kMetadataUrl + "\"";
    server_ = [this](const std::string& authorization, const Authorizer::Fields&) {
        return authorization.empty() ? refuse(401, first_challenge_) : Answer{};
    };
    browse_ = [this](const std::string& url) { return as_.authorize(url); };
    world_.serve(kIssuer, as_);
    world_.serve("https://mcp.example", [this](const http::Request& request) {
        return request.url.text() == kMetadataUrl && !resource_metadata_.is_null() ? json_answer(resource_metadata_)
                                                                                   : not_found();
    });
    options_.now = [this] { return now_; };
}

AuthorizerRig::Answer AuthorizerRig::refuse(int status, std::string_view challenge) {
    Answer answer{status, {}};
    if (!challenge.empty()) answer.headers.set("WWW-Authenticate", challenge);
    return answer;
}

Task<Result<std::string>> AuthorizerRig::browse_task(std::string url) {
    co_return Result<std::string>(browse_(url));
}

Authorizer& AuthorizerRig::restart() {
    if (!agent_)
        agent_ = make_callback_agent(redirect_uri_,
                                     [this](const Context&, std::string url) { return browse_task(std::move(url)); });
    authorizer_ = std::make_unique<Authorizer>(*Url::parse(kServer), options_, world_.fetch(), *store_, agent_.get());
    return *authorizer_;
}

Result<Authorizer::Fields> AuthorizerRig::fields(const std::string& url) {
    const Url parsed = *Url::parse(url);
    const Context ctx;
    return loop_.run_until_done(authorizer().headers_for(ctx, {.method = "POST", .url = parsed}));
}

Task<Result<int>> AuthorizerRig::call_task() {
    const Url url = *Url::parse(kServer);
    const Context ctx;
    for (int round = 0;; ++round) {
        const Authorizer::Request request{.method = "POST", .url = url};
        GANTRY_CO_TRY(const auto fields, co_await authorizer().headers_for(ctx, request));
        ++requests_;
        const Answer answer = server_(fields.empty() ? std::string() : fields[0].second, fields);
        GANTRY_CO_TRY(const http::Retry retry,
                      co_await authorizer().on_response(
                          ctx, request, {.status = answer.status, .headers = answer.headers, .sent = fields}));
        if (retry == http::Retry::kNo || round == 20) co_return answer.status;
    }
}

Result<int> AuthorizerRig::call() {
    return loop_.run_until_done(call_task());
}

std::string AuthorizerRig::sent(const std::string& path, const std::string& name) {
    const auto* request = as_.last(path);
    if (!request) return "<no request>";
    const auto found = request->params.find(name);
    return found == request->params.end() ? "<absent>" : found->second;
}

}  // namespace gantry::auth
