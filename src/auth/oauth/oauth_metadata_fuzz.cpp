#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "auth/oauth/challenge.hpp"
#include "auth/oauth/discovery.hpp"
#include "auth/oauth/form.hpp"
#include "auth/oauth/user_agent.hpp"

using namespace gantry;

// The first byte selects the parser. Accepted input must also satisfy the parser's guarantees.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const std::string_view input(reinterpret_cast<const char*>(data) + 1, size - 1);
    static const Url server = *Url::parse("https://mcp.example/a/b");
    switch (data[0] % 4) {
        case 0:
            if (const auto challenges = auth::parse_challenges(input))
                for (const auto& challenge : *challenges)
                    if (challenge.scheme.empty()) std::abort();
            if (http::Headers::valid_value(input)) {
                http::Headers headers;
                headers.add("WWW-Authenticate", input);
                static_cast<void>(auth::read_challenge(headers));
            }
            break;
        case 1:
            if (const auto metadata = auth::parse_resource_metadata(input)) {
                if (metadata->resource.empty() || metadata->authorization_servers.empty()) std::abort();
                if (auth::check_resource(*metadata, server) &&
                    Url::parse(metadata->resource)->origin() != server.origin())
                    std::abort();
            }
            break;
        case 2:
            if (const auto metadata = auth::parse_server_metadata(input))
                if (const auto url = Url::parse(metadata->issuer)) static_cast<void>(auth::server_metadata_urls(*url));
            break;
        default:
            static_cast<void>(auth::parse_redirect(input));
            if (const auto parsed = auth::parse_query(input)) {
                auth::Form form;
                for (const auto& [name, value] : *parsed) form.add(name, value);
                if (auth::parse_query(form.text()) && *auth::parse_query(form.text()) != *parsed) std::abort();
            }
            break;
    }
    return 0;
}
