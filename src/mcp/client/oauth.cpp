#include "mcp/client/oauth.hpp"

#include "auth/oauth/authorizer.hpp"
#include "base/try.hpp"

namespace gantry::mcp {
namespace {

/// Adapts an authorizer to the transport's interface and owns what it borrows.
class OAuth final : public Authorization {
public:
    OAuth(const Url& server, auth::AuthOptions options, http::Client& client, std::shared_ptr<auth::TokenStore> store,
          std::unique_ptr<auth::UserAgent> agent)
        : store_(std::move(store)),
          agent_(std::move(agent)),
          authorizer_(server, std::move(options), auth::make_http_fetch(client), *store_, agent_.get()) {}

    Task<Result<Fields>> headers_for(const Context& ctx, Request request) override {
        return authorizer_.headers_for(ctx, asking(std::move(request)));
    }

    Task<Result<bool>> on_response(const Context& ctx, Request request, Answer answer) override {
        const auth::Authorizer::Answer told{
            .status = answer.status, .headers = answer.headers, .sent = answer.sent, .peer = answer.peer};
        GANTRY_CO_TRY(const auth::Retry retry, co_await authorizer_.on_response(ctx, asking(std::move(request)), told));
        co_return retry == auth::Retry::kYes;
    }

private:
    static auth::Authorizer::Request asking(Request request) {
        return {.method = request.method, .url = request.url, .on_login = std::move(request.on_login)};
    }

    std::shared_ptr<auth::TokenStore> store_;
    std::unique_ptr<auth::UserAgent> agent_;
    auth::Authorizer authorizer_;
};

}  // namespace

std::unique_ptr<Authorization> make_oauth(const Url& server, auth::AuthOptions options, http::Client& client,
                                          std::shared_ptr<auth::TokenStore> store,
                                          std::unique_ptr<auth::UserAgent> agent) {
    return std::make_unique<OAuth>(server, std::move(options), client, std::move(store), std::move(agent));
}

}  // namespace gantry::mcp
