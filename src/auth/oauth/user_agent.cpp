#include "auth/oauth/user_agent.hpp"

#include "auth/oauth/form.hpp"
#include "base/crypto/digest.hpp"
#include "base/try.hpp"

namespace gantry::auth {
namespace {

class CallbackAgent final : public UserAgent {
public:
    CallbackAgent(std::string redirect_uri, AuthorizeCallback callback)
        : redirect_uri_(std::move(redirect_uri)), callback_(std::move(callback)) {}

    Task<Result<std::string>> redirect_uri(const Context&, std::string) override {
        co_return Result<std::string>(redirect_uri_);
    }

    Task<Result<AuthorizationResponse>> authorize(const Context& ctx, std::string url, std::string state) override {
        GANTRY_CO_TRY(const std::string location, co_await callback_(ctx, std::move(url)));
        GANTRY_CO_TRY(AuthorizationResponse response, parse_redirect(location));
        if (!crypto::equal_constant_time(response.state, state))
            co_return fail(ErrorCode::kDenied, "the authorization response does not belong to this request (state)");
        co_return response;
    }

private:
    std::string redirect_uri_;
    AuthorizeCallback callback_;
};

}  // namespace

Result<AuthorizationResponse> parse_redirect(std::string_view location) {
    location = location.substr(0, location.find('#'));
    if (const auto query = location.find('?'); query != std::string_view::npos) location.remove_prefix(query + 1);
    GANTRY_TRY(const auto parameters, parse_query(location));
    AuthorizationResponse out;
    for (const auto& [name, value] : parameters) {
        if (name == "code") out.code = value;
        if (name == "state") out.state = value;
        if (name == "error") out.error = value;
        if (name == "iss") {
            out.iss = value;
            out.has_iss = true;
        }
    }
    return out;
}

std::unique_ptr<UserAgent> make_callback_agent(std::string redirect_uri, AuthorizeCallback callback) {
    return std::make_unique<CallbackAgent>(std::move(redirect_uri), std::move(callback));
}

}  // namespace gantry::auth
