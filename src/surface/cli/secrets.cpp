#include "surface/cli/secrets.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>

namespace gantry::cli {

namespace {

constexpr std::array<std::string_view, 9> kSecretWords = {"token", "secret", "pass",   "key",    "auth",
                                                          "cred",  "cookie", "bearer", "session"};
/// Shorter values of harmless-sounding names (true, 8080, debug) are ordinary words, and masking them would ruin the
/// trace.
constexpr std::size_t kLooksSecret = 16;

bool sounds_secret(std::string_view name) {
    std::string folded(name);
    std::ranges::transform(folded, folded.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return std::ranges::any_of(kSecretWords, [&](std::string_view word) { return folded.contains(word); });
}

bool is_secret(std::string_view name, std::string_view value) {
    return sounds_secret(name) || value.size() >= kLooksSecret;
}

/// The name=value&name=value pairs of a URL.
Fields query_of(const std::string& url) {
    Fields fields;
    const std::size_t mark = url.find('?');
    std::string_view rest = mark == std::string::npos ? std::string_view() : std::string_view(url).substr(mark + 1);
    rest = rest.substr(0, rest.find('#'));
    while (!rest.empty()) {
        const std::string_view pair = rest.substr(0, rest.find('&'));
        rest.remove_prefix(std::min(pair.size() + 1, rest.size()));
        const std::size_t equals = std::min(pair.find('='), pair.size());
        fields.emplace_back(pair.substr(0, equals), pair.substr(std::min(equals + 1, pair.size())));
    }
    return fields;
}

}  // namespace

Secrets::Secrets(const Options& options) : redactor_(std::make_shared<Redactor>()) {
    for (const auto& [name, value] : options.env) {
        if (is_secret(name, value)) redactor_->add(value);
    }
    for (const auto& [name, value] : options.headers) {
        if (!is_secret(name, value)) continue;
        redactor_->add(value);
        // "Bearer abc": the second word is the secret.
        if (const std::size_t space = value.find(' '); space != std::string::npos)
            redactor_->add(value.substr(space + 1));
    }
    for (const auto& [name, value] : query_of(options.url)) {
        if (is_secret(name, value)) redactor_->add(value);
    }
    const char* secret = options.client_secret_env.empty() ? nullptr : std::getenv(options.client_secret_env.c_str());
    if (secret != nullptr) redactor_->add(secret);
}

}  // namespace gantry::cli
