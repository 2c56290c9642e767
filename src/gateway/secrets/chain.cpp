#include "gateway/secrets/chain.hpp"

#include <cstdlib>
#include <fstream>

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
    GANTRY_TRY(const EnvFile file, load_env_file(options_.env_file));
    const auto found = file.find(name);
    return found == file.end() ? std::nullopt : std::optional(found->second);
}

/// The whole file, less the newline editors put at its end.
Result<std::optional<std::string>> SecretChain::in_file(const std::string& path) const {
    const std::filesystem::path file = options_.base / path;
    std::error_code error;
    if (!std::filesystem::exists(file, error)) return std::nullopt;
    if (!std::filesystem::is_regular_file(file, error)) return fail(ErrorCode::kDenied, "is no regular file");
    std::ifstream in(file, std::ios::binary);
    std::string text(kMaxFileBytes + 1, '\0');
    in.read(text.data(), static_cast<std::streamsize>(text.size()));
    if (!in.is_open() || in.bad()) return fail(ErrorCode::kDenied, "cannot be read");
    text.resize(static_cast<std::size_t>(in.gcount()));
    if (text.size() > kMaxFileBytes) return fail(ErrorCode::kLimit, "is larger than 64 KB");
    if (text.ends_with('\n')) text.pop_back();
    if (text.ends_with('\r')) text.pop_back();
    if (text.contains('\0')) return fail(ErrorCode::kDenied, "has null characters");
    return text;
}

}  // namespace gantry::gateway
