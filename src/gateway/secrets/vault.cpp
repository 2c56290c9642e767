#include "gateway/secrets/vault.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/try.hpp"

namespace gantry::gateway {
namespace {

constexpr std::string_view kKind = "secret";

auth::SecretId id_of(const std::string& name) {
    return {.kind = std::string(kKind), .issuer = name, .client = "", .resource = ""};
}

}  // namespace

Result<void> check_secret_name(std::string_view name) {
    const bool fits = !name.empty() && name.size() <= 128 && std::ranges::all_of(name, [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-' || c == '.';
    });
    if (fits) return {};
    return fail(ErrorCode::kInvalidArgument, "a secret's name is 1 to 128 letters, digits, '_', '-' or '.'");
}

Vault::Vault(VaultOptions options, std::shared_ptr<PinnedFiles> files)
    : options_(std::move(options)), files_(std::move(files)) {
    if (files_ && !folder().empty()) files_->pin(auth::file_backend_key(folder()));
}

Vault::Backend* Vault::keyring() {
    // Machines without a desktop have none, and probing takes time, so not at every connect. A locked keyring may be
    // unlocked later.
    constexpr Duration kPause = seconds(30);
    if (keyring_ || !options_.keyring || SteadyClock::now() < ask_again_) return keyring_.get();
    if (auto opened = auth::make_keyring_backend()) {
        keyring_ = *std::move(opened);
        asked_ = keyring_.get();
    } else {
        ask_again_ = SteadyClock::now() + kPause;
    }
    return keyring_.get();
}

void Vault::interrupt() noexcept {
    if (Backend* backend = asked_) backend->interrupt();
}

std::filesystem::path Vault::folder() const {
    if (!options_.folder.empty()) return options_.folder;
    return auth::default_store_folder().value_or(std::filesystem::path());
}

Result<Vault::Backend*> Vault::file() {
    if (file_) return file_.get();
    if (folder().empty()) return fail(auth::default_store_folder().error());
    GANTRY_TRY(file_, auth::make_file_backend(folder()));
    return file_.get();
}

Result<Vault::Backend*> Vault::existing_file() {
    if (file_) return file_.get();
    // A store that may not be read is not an empty one.
    if (!folder().empty() && ::access(folder().c_str(), R_OK | X_OK) != 0 && errno == EACCES) {
        return fail(ErrorCode::kDenied, folder().string() +
                                            ": permission denied; secrets are kept per user, so run this as the user "
                                            "the gateway runs as");
    }
    if (folder().empty() || !auth::has_file_backend(folder())) return nullptr;
    // The owner of the pins reports it.
    if (files_ && !files_->pin(auth::file_backend_key(folder())).empty()) return nullptr;
    return file();
}

Result<std::optional<std::string>> Vault::find_in_keyring(const std::string& name) {
    Backend* backend = keyring();
    if (backend == nullptr) return std::optional<std::string>();
    return backend->load(id_of(name));
}

Result<std::optional<std::string>> Vault::find(const std::string& name) {
    if (auto found = find_in_keyring(name); found && *found) return found;
    GANTRY_TRY(Backend* const backend, existing_file());
    if (backend == nullptr) return std::optional<std::string>();
    return backend->load(id_of(name));
}

Result<std::string_view> Vault::save(const std::string& name, std::string_view secret) {
    GANTRY_CHECK(check_secret_name(name));
    Backend* backend = keyring();
    if (backend == nullptr) {
        GANTRY_TRY(backend, file());
    }
    GANTRY_CHECK(backend->save(id_of(name), secret));
    return backend->name();
}

Result<bool> Vault::erase(const std::string& name) {
    GANTRY_TRY(Backend* const stored, existing_file());
    bool found = false;
    for (Backend* backend : {keyring(), stored}) {
        if (backend == nullptr) continue;
        GANTRY_TRY(const auto there, backend->load(id_of(name)));
        if (!there) continue;
        GANTRY_CHECK(backend->erase(id_of(name)));
        found = true;
    }
    return found;
}

Result<std::vector<Vault::Entry>> Vault::list() {
    GANTRY_TRY(Backend* const stored, existing_file());
    std::vector<Entry> entries;
    for (Backend* backend : {keyring(), stored}) {
        if (backend == nullptr) continue;
        GANTRY_TRY(const auto ids, backend->list(kKind));
        for (const auto& id : ids) entries.push_back({.name = id.issuer, .where = backend->name()});
    }
    std::ranges::sort(entries, {}, &Entry::name);
    return entries;
}

}  // namespace gantry::gateway
