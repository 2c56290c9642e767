#include "gateway/identity/upstream_logins.hpp"

#include "auth/oauth/authorizer.hpp"
#include "auth/oauth/loopback_agent.hpp"
#include "base/try.hpp"
#include "gantry/json.hpp"
#include "io/loop.hpp"
#include "io/net/egress.hpp"
#include "io/private_file.hpp"
#include "mcp/client/client.hpp"
#include "mcp/client/server_identity.hpp"
#include "mcp/transport/streamable_http.hpp"

namespace gantry::gateway {
namespace {

constexpr const char* kFile = "logins.json";
constexpr std::size_t kMaxBytes = 1u << 20;
/// Time for a person to notice, log in and consent.
constexpr Duration kLoginTime = std::chrono::minutes(5);

auth::AuthOptions options_for(const LoginRequest& request) {
    return {
        .client_id = request.client_id, .client_name = "gantry", .scopes = request.scopes, .login_timeout = kLoginTime};
}

Json shown(const std::vector<std::string>& texts) {
    JsonArray array;
    for (const std::string& text : texts) array.emplace_back(text);
    return array;
}

/// A connection of its own, used only to obtain access.
Task<Result<void>> connect_once(const Context& ctx, const Url& url, http::Client& http, http::Authorization& oauth,
                                mcp::Implementation self) {
    mcp::Route route;
    route.wire = mcp::Wire::kHttp;
    route.identity = mcp::http_identity(url.text());
    const mcp::HttpConfig config{.url = url, .client = &http, .authorization = &oauth};
    route.transport = std::make_unique<mcp::StreamableHttpTransport>(mcp::StreamableHttpConfig{.http = config});
    mcp::ClientSettings settings;
    settings.self = std::move(self);
    settings.connect_timeout = kLoginTime + seconds(30);
    settings.times = {.idle = settings.connect_timeout, .total = settings.connect_timeout};
    mcp::Client client(std::move(route), std::move(settings));
    auto connected = co_await client.connect(ctx);
    // Some servers allow initialization without tokens and require them for the first real request.
    if (connected) connected = co_await client.ping(ctx);
    if (connected) {
        if (auto tools = co_await client.list_tools(ctx); !tools) connected = fail(tools.error());
    }
    co_await client.close();
    co_return connected;
}

}  // namespace

Result<void> UpstreamLogins::open(const std::filesystem::path& state_dir) {
    folder_ = state_dir / "logins";
    std::error_code error;
    if (!std::filesystem::exists(folder_, error)) return {};
    GANTRY_TRY(const Fd folder, open_private_folder(folder_));
    GANTRY_TRY(const auto text, read_private_file(folder, kFile, kMaxBytes));
    if (!text) return {};
    auto json = Json::parse(*text);
    if (!json || !json->is_object()) {
        return fail(ErrorCode::kParse, (folder_ / kFile).string() +
                                           ": cannot be read; remove it and log in to servers again (gantry login)");
    }
    for (const auto& [server, login] : *json->if_object()) {
        Login known{.url = std::string(login.string_at("url")),
                    .request = {.client_id = std::string(login.string_at("client_id"))}};
        if (const Json* const scopes = login.find("scopes"); scopes != nullptr && scopes->is_array()) {
            for (const Json& scope : *scopes->if_array()) {
                if (scope.is_string()) known.request.scopes.push_back(*scope.if_string());
            }
        }
        logins_.emplace(server, std::move(known));
    }
    return {};
}

Result<void> UpstreamLogins::save() const {
    JsonObject all;
    for (const auto& [server, login] : logins_) {
        all.set(server, JsonObject{{"url", login.url},
                                   {"client_id", login.request.client_id},
                                   {"scopes", shown(login.request.scopes)}});
    }
    GANTRY_TRY(const Fd folder, open_private_folder(folder_));
    return replace_private_file(folder, kFile, Json(std::move(all)).dump());
}

Result<std::shared_ptr<auth::TokenStore>> UpstreamLogins::store() {
    if (!store_) {
        GANTRY_CHECK(open_private_folder(folder_));
        GANTRY_TRY(auto backend, auth::make_file_backend(folder_));
        store_ = std::make_shared<auth::TokenStore>(std::move(backend));
    }
    return store_;
}

Task<Result<void>> UpstreamLogins::log_in(const Context& ctx, McpServerSpec spec, LoginRequest request,
                                          std::function<void(const std::string& url)> show) {
    if (spec.is_child()) {
        co_return fail(ErrorCode::kInvalidArgument,
                       "server '" + spec.name + "' is a program; only servers with a URL have logins");
    }
    GANTRY_CO_TRY(const Url url, Url::parse(spec.url));
    GANTRY_CO_TRY(auto tokens, store());
    net::EgressGuard guard;
    http::Client http(loop_, guard, {.head_timeout = kLoginTime});
    bool asked = false;
    const auto show_once = [&asked, &show](const std::string& visit) {
        asked = true;
        show(visit);
    };
    const auto oauth = auth::make_authorizer(url, options_for(request), http, std::move(tokens),
                                             auth::make_loopback_agent(loop_, {.show = show_once}));
    auto let_in = co_await connect_once(ctx.within(kLoginTime + seconds(60)), url, http, *oauth, self_);
    http.close();
    if (!let_in) co_return fail(let_in.error().within("server '" + spec.name + "'"));
    logins_.insert_or_assign(spec.name, Login{.url = spec.url, .request = std::move(request)});
    co_return save();
}

std::unique_ptr<http::Authorization> UpstreamLogins::authorization(const McpServerSpec& spec, http::Client& client) {
    const auto found = logins_.find(spec.name);
    // Tokens are bound to the server they were issued for: another URL needs another login.
    if (found == logins_.end() || found->second.url != spec.url) return nullptr;
    const auto url = Url::parse(spec.url);
    auto tokens = store();
    if (!url || !tokens) return nullptr;
    return auth::make_authorizer(*url, options_for(found->second.request), client, *std::move(tokens), nullptr);
}

}  // namespace gantry::gateway
