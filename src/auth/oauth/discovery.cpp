#include "auth/oauth/discovery.hpp"

#include "base/try.hpp"

namespace gantry::auth {
namespace {

constexpr std::string_view kResourceSuffix = "/.well-known/oauth-protected-resource";
constexpr std::string_view kServerSuffix = "/.well-known/oauth-authorization-server";
constexpr std::string_view kOpenIdSuffix = "/.well-known/openid-configuration";
constexpr int kMaxRedirects = 3;

std::string path_without_end_slash(const Url& url) {
    std::string path = url.path();
    while (path.ends_with('/')) path.pop_back();
    return path;
}

/// The document, or nothing for any status but 200: not the right location. Only a failing connection is an error.
/// Redirects are followed here and not by the client, so that each target passes `fetch` and its checks.
Task<Result<std::optional<std::string>>> get_document(const Context& ctx, const Fetch& fetch, Url url) {
    for (int hops = 0; hops <= kMaxRedirects; ++hops) {
        http::Request request;
        request.url = url;
        request.headers.set("Accept", "application/json");
        GANTRY_CO_TRY(FetchedResponse response, co_await fetch(ctx, std::move(request)));
        if (response.status == 200) co_return Result<std::optional<std::string>>(std::move(response.body));
        const auto location = response.headers.get("Location");
        if (response.status < 300 || response.status > 399 || !location) break;
        auto target = url.resolve(*location);
        if (!target || (target->origin() != url.origin() && !parse_secure_url(target->text(), "a redirect"))) break;
        url = *std::move(target);
    }
    co_return Result<std::optional<std::string>>(std::nullopt);
}

/// The metadata URL must have the server's own origin or be secure.
Result<Url> parse_metadata_url(std::string_view text, const Url& server) {
    auto url = Url::parse(text);
    if (url && url->origin() == server.origin()) return url;
    return parse_secure_url(text, "the resource metadata URL");
}

Task<Result<std::optional<ResourceMetadata>>> find_resource_metadata(const Context& ctx, const Fetch& fetch,
                                                                     const Url& server,
                                                                     const AuthChallenge& challenge) {
    std::vector<std::string> places;
    if (!challenge.resource_metadata.empty()) places.push_back(challenge.resource_metadata);
    for (auto& place : resource_metadata_urls(server))
        if (!contains(places, place)) places.push_back(std::move(place));
    for (const std::string& place : places) {
        GANTRY_CO_TRY(Url url, parse_metadata_url(place, server));
        GANTRY_CO_TRY(const auto body, co_await get_document(ctx, fetch, std::move(url)));
        if (!body) continue;
        auto metadata = parse_resource_metadata(*body);
        // A catch-all page answers 200 everywhere; only a JSON document counts as an answer.
        if (!metadata && metadata.error().code() == ErrorCode::kParse) continue;
        if (!metadata) co_return std::unexpected(metadata.error());
        GANTRY_CO_CHECK(check_resource(*metadata, server));
        co_return Result<std::optional<ResourceMetadata>>(*std::move(metadata));
    }
    co_return Result<std::optional<ResourceMetadata>>(std::nullopt);
}

Task<Result<std::optional<ServerMetadata>>> first_server_metadata(const Context& ctx, const Fetch& fetch,
                                                                  std::vector<std::string> places) {
    for (const std::string& place : places) {
        GANTRY_CO_TRY(Url url, parse_secure_url(place, "the authorization server"));
        GANTRY_CO_TRY(const auto body, co_await get_document(ctx, fetch, std::move(url)));
        if (!body) continue;
        auto metadata = parse_server_metadata(*body);
        if (!metadata && metadata.error().code() == ErrorCode::kParse) continue;
        if (!metadata) co_return std::unexpected(metadata.error());
        co_return Result<std::optional<ServerMetadata>>(*std::move(metadata));
    }
    co_return Result<std::optional<ServerMetadata>>(std::nullopt);
}

Task<Result<ServerMetadata>> discover_legacy(const Context& ctx, const Fetch& fetch, const Url& server) {
    const std::string root = server.origin();
    GANTRY_CO_TRY(auto found, co_await first_server_metadata(ctx, fetch, {root + std::string(kServerSuffix)}));
    if (found) {
        // No issuer was given beforehand, so both spellings of the root are accepted.
        if (found->issuer != root && found->issuer != root + "/")
            co_return fail(ErrorCode::kDenied,
                           "the authorization server metadata of " + root + " names another issuer");
        found->legacy = true;
        co_return *std::move(found);
    }
    ServerMetadata fallback;
    fallback.issuer = root;
    fallback.authorization_endpoint = root + "/authorize";
    fallback.token_endpoint = root + "/token";
    fallback.registration_endpoint = root + "/register";
    fallback.legacy = true;
    co_return fallback;
}

}  // namespace

std::vector<std::string> resource_metadata_urls(const Url& server) {
    const std::string root = server.origin() + std::string(kResourceSuffix);
    if (server.path() == "/" || server.path().empty()) return {root};
    return {root + server.path(), root};
}

std::vector<std::string> server_metadata_urls(const Url& issuer) {
    const std::string origin = issuer.origin();
    const std::string path = path_without_end_slash(issuer);
    std::vector<std::string> out{origin + std::string(kServerSuffix) + path,
                                 origin + std::string(kOpenIdSuffix) + path};
    if (!path.empty()) out.push_back(origin + path + std::string(kOpenIdSuffix));
    return out;
}

Task<Result<ServerMetadata>> discover_issuer(const Context& ctx, const Fetch& fetch, std::string issuer) {
    GANTRY_CO_TRY(const Url url, parse_secure_url(issuer, "the authorization server"));
    GANTRY_CO_TRY(auto found, co_await first_server_metadata(ctx, fetch, server_metadata_urls(url)));
    if (!found)
        co_return fail(ErrorCode::kProtocol, "the authorization server " + url.origin() + " publishes no metadata");
    if (found->issuer != issuer)
        co_return fail(ErrorCode::kDenied,
                       "the metadata of the authorization server " + url.origin() + " names another issuer");
    co_return *std::move(found);
}

Task<Result<Discovery>> discover(const Context& ctx, const Fetch& fetch, const Url& server,
                                 const AuthChallenge& challenge, std::string_view preferred) {
    Discovery out;
    GANTRY_CO_TRY(out.resource, co_await find_resource_metadata(ctx, fetch, server, challenge));
    if (!out.resource) {
        GANTRY_CO_TRY(out.server, co_await discover_legacy(ctx, fetch, server));
        co_return out;
    }
    const auto& issuers = out.resource->authorization_servers;
    std::string issuer = contains(issuers, preferred) ? std::string(preferred) : issuers.front();
    GANTRY_CO_TRY(out.server, co_await discover_issuer(ctx, fetch, std::move(issuer)));
    co_return out;
}

}  // namespace gantry::auth
