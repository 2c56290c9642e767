#include "surface/cli/secrets.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>

namespace gantry::cli {

namespace {

constexpr std::array<std::string_view, 9> kSecretWords = {"token", "secret", "pass",   "key",    "auth",
                                                          "cred",  "cookie", "bearer", "session"};
/// Shorter values of names that sound harmless (true, 8080, debug) are words, and would hide half the trace.
constexpr std::size_t kLooksSecret = 16;
/// Shorter than this nothing is hidden: it would be found everywhere.
constexpr std::size_t kShortest = 4;

bool sounds_secret(std::string_view name) {
    std::string folded(name);
    std::ranges::transform(folded, folded.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return std::ranges::any_of(kSecretWords, [&](std::string_view word) { return folded.contains(word); });
}

bool is_secret(std::string_view name, std::string_view value) {
    return sounds_secret(name) || value.size() >= kLooksSecret;
}

/// name=value&name=value of a URL.
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

void replace_all(std::string& text, const std::string& what) {
    constexpr std::string_view kMask = "***";
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + kMask.size())) {
        text.replace(at, what.size(), kMask);
    }
}

}  // namespace

Secrets::Secrets(const Options& options) {
    for (const auto& [name, value] : options.env) {
        if (is_secret(name, value)) add(value);
    }
    for (const auto& [name, value] : options.headers) {
        if (!is_secret(name, value)) continue;
        add(value);
        // "Bearer abc": the second word is the secret.
        if (const std::size_t space = value.find(' '); space != std::string::npos) add(value.substr(space + 1));
    }
    for (const auto& [name, value] : query_of(options.url)) {
        if (is_secret(name, value)) add(value);
    }
    const char* secret = options.client_secret_env.empty() ? nullptr : std::getenv(options.client_secret_env.c_str());
    if (secret != nullptr) add(secret);
    std::ranges::sort(values_, std::greater(), &std::string::size);
}

void Secrets::add(const std::string& value) {
    if (value.size() < kShortest) return;
    values_.push_back(value);
    // Inside JSON, and inside JSON text that is itself a JSON string.
    std::string escaped = Json(value).dump();
    escaped = escaped.substr(1, escaped.size() - 2);
    if (escaped == value) return;
    values_.push_back(escaped);
    std::string twice = Json(escaped).dump();
    values_.push_back(twice.substr(1, twice.size() - 2));
}

std::string Secrets::masked(std::string text) const {
    for (const std::string& value : values_) replace_all(text, value);
    return text;
}

}  // namespace gantry::cli
