#include "gateway/secrets/confidential.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace gantry::gateway {
namespace {

constexpr std::array<std::string_view, 10> kSecretWords = {"token", "secret", "pass",   "key",     "auth",
                                                           "cred",  "cookie", "bearer", "session", "signature"};
constexpr std::array<std::string_view, 17> kHarmless = {"PATH",  "HOME",    "PWD",    "USER",      "LOGNAME",   "LANG",
                                                        "SHELL", "TERM",    "TMPDIR", "HOSTNAME",  "HOST",      "PORT",
                                                        "TZ",    "DISPLAY", "EDITOR", "NODE_PATH", "PYTHONPATH"};
/// Shorter values of harmless-sounding names are ordinary words, and masking them would ruin every log.
constexpr std::size_t kLongEnough = 12;

bool is_harmless(std::string_view name) {
    return std::ranges::find(kHarmless, name) != kHarmless.end() || name.starts_with("XDG_") || name.starts_with("LC_");
}

/// Values of name=value&name=value, and the user info before an @.
void add_url(std::string_view url, std::vector<std::string>& values) {
    const auto scheme = url.find("://");
    const std::string_view rest = scheme == std::string_view::npos ? url : url.substr(scheme + 3);
    const std::string_view authority = rest.substr(0, rest.find_first_of("/?#"));
    if (const auto at = authority.rfind('@'); at != std::string_view::npos) {
        const std::string_view user = authority.substr(0, at);
        values.emplace_back(user.substr(std::min(user.find(':') + 1, user.size())));
    }
    const auto mark = rest.find('?');
    std::string_view query = mark == std::string_view::npos ? std::string_view() : rest.substr(mark + 1);
    query = query.substr(0, query.find('#'));
    while (!query.empty()) {
        const std::string_view pair = query.substr(0, query.find('&'));
        query.remove_prefix(std::min(pair.size() + 1, query.size()));
        const std::size_t equals = std::min(pair.find('='), pair.size());
        const std::string_view value = pair.substr(std::min(equals + 1, pair.size()));
        if (sounds_secret(pair.substr(0, equals)) || looks_random(value)) values.emplace_back(value);
    }
}

/// "--token=x", "--token x", or a value that can only be a secret.
void add_arguments(const std::vector<std::string>& args, std::vector<std::string>& values) {
    bool next_is_secret = false;
    for (const std::string& argument : args) {
        const bool option = argument.starts_with('-');
        const auto equals = argument.find('=');
        const std::string_view name = std::string_view(argument).substr(0, equals);
        if (option && equals != std::string::npos) {
            if (sounds_secret(name)) values.push_back(argument.substr(equals + 1));
        } else if ((next_is_secret && !option) || looks_random(argument)) {
            values.push_back(argument);
        }
        next_is_secret = option && equals == std::string::npos && sounds_secret(name);
    }
}

/// "mcp-server-git==2026.10.19", as uvx and pip accept it. Base64 has nothing after its padding.
bool is_package(std::string_view value) {
    const auto equals = value.find("==");
    if (equals == std::string_view::npos) return false;
    const std::string_view version = value.substr(equals + 2);
    return !version.empty() && version.find_first_not_of("0123456789.") == std::string_view::npos;
}

}  // namespace

bool sounds_secret(std::string_view name) {
    std::string folded(name);
    std::ranges::transform(folded, folded.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return std::ranges::any_of(kSecretWords, [&](std::string_view word) { return folded.contains(word); });
}

bool looks_random(std::string_view value) {
    if (value.size() < 20 || is_package(value) || value.find_first_of("/ \\:@") != std::string_view::npos) return false;
    const auto has = [&](auto&& kind) { return std::ranges::any_of(value, kind); };
    return has([](char c) { return c >= '0' && c <= '9'; }) &&
           has([](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; });
}

bool is_confidential(const Reference& reference, std::string_view value) {
    using Place = Reference::Place;
    if (reference.place != Place::kAnywhere && reference.place != Place::kEnv) return true;
    if (is_harmless(reference.name)) return false;
    return sounds_secret(reference.name) || value.size() >= kLongEnough;
}

std::vector<std::string> confidential_values(const McpServerSpec& server) {
    std::vector<std::string> values;
    for (const auto& [name, value] : server.env) {
        if (!is_harmless(name) && (sounds_secret(name) || looks_random(value))) values.push_back(value);
    }
    for (const auto& [name, value] : server.headers) {
        if (!sounds_secret(name) && !looks_random(value)) continue;
        // "Bearer abc": the second word is the secret.
        values.push_back(value.substr(value.find(' ') + 1));
    }
    add_arguments(server.args, values);
    add_url(server.url, values);
    return values;
}

}  // namespace gantry::gateway
