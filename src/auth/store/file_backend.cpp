#include <cstdlib>

#include "auth/store/backend.hpp"
#include "auth/store/sealed.hpp"
#include "auth/store/secret_lock.hpp"
#include "base/crypto/digest.hpp"
#include "base/try.hpp"
#include "gantry/json.hpp"
#include "io/private_file.hpp"

namespace gantry::auth {
namespace {

constexpr const char* kKeyFile = "tokens.key";
constexpr const char* kDataFile = "tokens.sealed";
constexpr std::size_t kMaxDataBytes = 32u << 20;

/// Opens, decrypts and writes the whole file for each call: there are few secrets, and other processes may
/// have changed it meanwhile.
class FileBackend final : public SecretBackend {
public:
    FileBackend(Fd folder, std::string key) : folder_(std::move(folder)), key_(std::move(key)) {}
    ~FileBackend() override { crypto::wipe(key_); }

    Result<std::optional<std::string>> load(const SecretId& id) override {
        GANTRY_TRY(const Fd lock, lock_folder(folder_));
        GANTRY_TRY(const Json all, read());
        const Json* found = all.find(name_of(id));
        if (!found || !found->if_string()) return std::optional<std::string>();
        return std::optional(*found->if_string());
    }

    Result<void> save(const SecretId& id, std::string_view secret) override {
        GANTRY_TRY(const Fd lock, lock_folder(folder_));
        GANTRY_TRY(Json all, read());
        all.if_object()->set(name_of(id), Json(secret));
        return write(all);
    }

    Result<void> erase(const SecretId& id) override {
        GANTRY_TRY(const Fd lock, lock_folder(folder_));
        GANTRY_TRY(Json all, read());
        if (!all.if_object()->erase(name_of(id))) return {};
        return write(all);
    }

    Result<std::vector<SecretId>> list(std::string_view kind) override {
        GANTRY_TRY(const Fd lock, lock_folder(folder_));
        GANTRY_TRY(const Json all, read());
        std::vector<SecretId> ids;
        for (const auto& [name, secret] : *all.if_object()) {
            if (auto id = id_of(name); id && id->kind == kind) ids.push_back(*std::move(id));
        }
        return ids;
    }

    Result<std::unique_ptr<SecretLock>> try_lock(const SecretId& id) override { return try_lock_secret(folder_, id); }

    std::string_view name() const noexcept override { return "file"; }

private:
    Result<Json> read() {
        GANTRY_TRY(const auto sealed, read_private_file(folder_, kDataFile, kMaxDataBytes));
        if (!sealed) return Json(JsonObject());
        GANTRY_TRY(std::string plain, unseal(key_, *sealed));
        auto all = Json::parse(plain);
        crypto::wipe(plain);
        if (!all || !all->is_object())
            return fail(ErrorCode::kParse, "token file: the content is not what was written");
        return *std::move(all);
    }

    Result<void> write(const Json& all) {
        std::string plain = all.dump();
        auto sealed = seal(key_, plain);
        crypto::wipe(plain);
        if (!sealed) return fail(sealed.error());
        return replace_private_file(folder_, kDataFile, *sealed);
    }

    Fd folder_;
    std::string key_;
};

Result<std::string> load_or_make_key(const Fd& folder) {
    GANTRY_TRY(const Fd lock, lock_folder(folder));
    GANTRY_TRY(auto key, read_private_file(folder, kKeyFile, kSealKeyBytes));
    if (!key) {
        GANTRY_TRY(key, crypto::random_bytes(kSealKeyBytes));
        GANTRY_CHECK(replace_private_file(folder, kKeyFile, *key));
    }
    if (key->size() != kSealKeyBytes) return fail(ErrorCode::kDenied, "token file: the key has the wrong size");
    return *std::move(key);
}

}  // namespace

std::string name_of(const SecretId& id) {
    return Json(JsonArray{id.kind, id.issuer, id.client, id.resource}).dump();
}

std::optional<SecretId> id_of(std::string_view name) {
    const auto parts = Json::parse(name);
    const JsonArray* list = parts ? parts->if_array() : nullptr;
    if (list == nullptr || list->size() != 4) return std::nullopt;
    for (const Json& part : *list) {
        if (!part.is_string()) return std::nullopt;
    }
    return SecretId{*(*list)[0].if_string(), *(*list)[1].if_string(), *(*list)[2].if_string(), *(*list)[3].if_string()};
}

std::filesystem::path file_backend_key(const std::filesystem::path& folder) {
    return folder / kKeyFile;
}

bool has_file_backend(const std::filesystem::path& folder) {
    std::error_code error;
    return std::filesystem::exists(file_backend_key(folder), error);
}

Result<std::unique_ptr<SecretBackend>> make_file_backend(std::filesystem::path folder) {
    GANTRY_TRY(Fd fd, open_private_folder(folder));
    GANTRY_TRY(std::string key, load_or_make_key(fd));
    return std::unique_ptr<SecretBackend>(std::make_unique<FileBackend>(std::move(fd), std::move(key)));
}

Result<std::filesystem::path> default_store_folder() {
    // The XDG specification declares relative paths invalid: they are ignored.
    if (const char* data = std::getenv("XDG_DATA_HOME"); data && data[0] == '/')
        return std::filesystem::path(data) / "gantry";
    if (const char* home = std::getenv("HOME"); home && home[0] == '/')
        return std::filesystem::path(home) / ".local" / "share" / "gantry";
    return fail(ErrorCode::kNotFound, "neither XDG_DATA_HOME nor HOME says where tokens may be kept");
}

}  // namespace gantry::auth
