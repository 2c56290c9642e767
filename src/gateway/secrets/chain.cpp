#include "gateway/secrets/chain.hpp"

#include <cstdlib>

#include "base/try.hpp"
#include "gateway/secrets/env_file.hpp"

namespace gantry::gateway {
namespace {

constexpr std::size_t kMaxFileBytes = 64u << 10;

std::optional<std::string> in_environment(const std::string& name) {
    const char* value = std::getenv(name.c_str());
    return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

}  // namespace

Result<std::optional<std::string>> SecretChain::find(const Reference& reference) {
    using Place = Reference::Place;
    const Place place = reference.place;
    if (place == Place::kFile) return in_file(reference.name);
    if (place == Place::kKeyring) return vault_.find_in_keyring(reference.name);
    if (place != Place::kEnv) {
        GANTRY_TRY(auto kept, vault_.find(reference.name));
        if (kept) return kept;
    }
    GANTRY_TRY(auto listed, in_env_file(reference.name));
    if (listed || place == Place::kSecrets) return listed;
    return options_.environment ? in_environment(reference.name) : std::nullopt;
}

Result<std::optional<std::string>> SecretChain::in_env_file(const std::string& name) const {
    if (options_.env_file.empty()) return std::nullopt;
    const auto text = text_of(options_.env_file, kMaxEnvFileBytes);
    if (!text) return fail(text.error().within(options_.env_file.string()));
    if (!*text) return std::nullopt;
    const auto file = parse_env_file(**text);
    if (!file) return fail(file.error().within(options_.env_file.string()));
    const auto found = file->find(name);
    return found == file->end() ? std::nullopt : std::optional(found->second);
}

/// Reads at most `limit` + 1 bytes; empty: there is no such file.
Result<std::optional<std::string>> SecretChain::text_of(const std::filesystem::path& file, std::size_t limit) const {
    PinnedFiles once;
    GANTRY_TRY(auto content, (options_.files ? *options_.files : once).read(file, limit));
    return std::move(content.text);
}

/// The whole file, without the trailing newline that editors add.
Result<std::optional<std::string>> SecretChain::in_file(const std::string& path) const {
    GANTRY_TRY(auto found, text_of(options_.base / path, kMaxFileBytes));
    if (!found) return std::nullopt;
    std::string text = *std::move(found);
    if (text.size() > kMaxFileBytes) return fail(ErrorCode::kLimit, "is larger than 64 KB");
    if (text.ends_with('\n')) text.pop_back();
    if (text.ends_with('\r')) text.pop_back();
    if (text.contains('\0')) return fail(ErrorCode::kDenied, "has null characters");
    return text;
}

}  // namespace gantry::gateway
