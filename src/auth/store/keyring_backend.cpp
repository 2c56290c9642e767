#include "auth/store/backend.hpp"
#include "auth/store/secret_lock.hpp"

#ifdef GANTRY_HAVE_LIBSECRET

#include <libsecret/secret.h>

#include "base/try.hpp"
#include "io/private_file.hpp"

namespace gantry::auth {
namespace {

template <auto Free>
struct GFree {
    template <class T>
    void operator()(T* value) const noexcept {
        if (value) Free(value);
    }
};
using GErrorOwner = std::unique_ptr<GError, GFree<g_error_free>>;
template <class T>
using GObjectOwner = std::unique_ptr<T, GFree<g_object_unref>>;
using Attributes = std::unique_ptr<GHashTable, GFree<g_hash_table_unref>>;
using PasswordOwner = std::unique_ptr<char, GFree<secret_password_free>>;

const SecretSchema* schema() {
    static const SecretSchema value = {.name = "dev.gantry.Token",
                                       .flags = SECRET_SCHEMA_NONE,
                                       .attributes = {{"kind", SECRET_SCHEMA_ATTRIBUTE_STRING},
                                                      {"issuer", SECRET_SCHEMA_ATTRIBUTE_STRING},
                                                      {"client", SECRET_SCHEMA_ATTRIBUTE_STRING},
                                                      {"resource", SECRET_SCHEMA_ATTRIBUTE_STRING},
                                                      {nullptr, SECRET_SCHEMA_ATTRIBUTE_STRING}},
                                       .reserved = 0,
                                       .reserved1 = nullptr,
                                       .reserved2 = nullptr,
                                       .reserved3 = nullptr,
                                       .reserved4 = nullptr,
                                       .reserved5 = nullptr,
                                       .reserved6 = nullptr,
                                       .reserved7 = nullptr};
    return &value;
}

Attributes attributes_of(const SecretId& id) {
    Attributes table(g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free));
    const auto put = [&](const char* name, const std::string& value) {
        g_hash_table_insert(table.get(), g_strdup(name), g_strdup(value.c_str()));
    };
    put("kind", id.kind);
    put("issuer", id.issuer);
    put("client", id.client);
    put("resource", id.resource);
    return table;
}

SecretId id_from(const Attributes& table) {
    const auto get = [&](const char* name) {
        const auto* value = static_cast<const char*>(g_hash_table_lookup(table.get(), name));
        return std::string(value == nullptr ? "" : value);
    };
    return {get("kind"), get("issuer"), get("client"), get("resource")};
}

Error keyring_error(const char* what, GError* raw) {
    const GErrorOwner error(raw);
    const bool cancelled = error && g_error_matches(error.get(), G_IO_ERROR, G_IO_ERROR_CANCELLED);
    return Error(cancelled ? ErrorCode::kCancelled : ErrorCode::kInternal,
                 std::string("keyring: ") + what + " failed" + (error ? std::string(": ") + error->message : ""));
}

class KeyringBackend final : public SecretBackend {
public:
    KeyringBackend() : cancellable_(g_cancellable_new()) {}

    /// Checks for a service with an unlocked default collection.
    Result<void> probe() {
        GError* error = nullptr;
        const GObjectOwner<SecretService> service(
            secret_service_get_sync(SECRET_SERVICE_OPEN_SESSION, cancellable_.get(), &error));
        if (!service) return fail(Error(ErrorCode::kNotFound, "no keyring").caused_by(keyring_error("connect", error)));
        const GObjectOwner<SecretCollection> collection(secret_collection_for_alias_sync(
            service.get(), SECRET_COLLECTION_DEFAULT, SECRET_COLLECTION_NONE, cancellable_.get(), &error));
        if (error) return fail(Error(ErrorCode::kNotFound, "no keyring").caused_by(keyring_error("open", error)));
        if (!collection) return fail(ErrorCode::kNotFound, "the keyring has no default collection");
        if (secret_collection_get_locked(collection.get()))
            return fail(ErrorCode::kNotFound, "the keyring's default collection is locked");
        return {};
    }

    Result<std::optional<std::string>> load(const SecretId& id) override {
        GError* error = nullptr;
        const PasswordOwner secret(
            secret_password_lookupv_sync(schema(), attributes_of(id).get(), cancellable_.get(), &error));
        if (error) return fail(keyring_error("lookup", error));
        if (!secret) return std::optional<std::string>();
        return std::optional<std::string>(secret.get());
    }

    Result<void> save(const SecretId& id, std::string_view secret) override {
        const std::string label = "Gantry " + id.kind + " for " + (id.resource.empty() ? id.issuer : id.resource);
        const std::string text(secret);
        GError* error = nullptr;
        if (!secret_password_storev_sync(schema(), attributes_of(id).get(), SECRET_COLLECTION_DEFAULT, label.c_str(),
                                         text.c_str(), cancellable_.get(), &error))
            return fail(keyring_error("store", error));
        return {};
    }

    Result<void> erase(const SecretId& id) override {
        GError* error = nullptr;
        secret_password_clearv_sync(schema(), attributes_of(id).get(), cancellable_.get(), &error);
        if (error) return fail(keyring_error("clear", error));
        return {};
    }

    Result<std::vector<SecretId>> list(std::string_view kind) override {
        const Attributes wanted(g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free));
        g_hash_table_insert(wanted.get(), g_strdup("kind"), g_strdup(std::string(kind).c_str()));
        GError* error = nullptr;
        // Not secret_password_searchv_sync: its items belong to a main context that is gone when they are released.
        GList* found =
            secret_service_search_sync(nullptr, schema(), wanted.get(), SECRET_SEARCH_ALL, cancellable_.get(), &error);
        if (error) return fail(keyring_error("search", error));
        std::vector<SecretId> ids;
        for (const GList* at = found; at != nullptr; at = at->next) {
            ids.push_back(id_from(Attributes(secret_item_get_attributes(SECRET_ITEM(at->data)))));
        }
        g_list_free_full(found, g_object_unref);
        return ids;
    }

    /// The Secret Service has no locks: uses a lock file next to the encrypted store's.
    Result<std::unique_ptr<SecretLock>> try_lock(const SecretId& id) override {
        GANTRY_TRY(const auto path, default_store_folder());
        GANTRY_TRY(const Fd folder, open_private_folder(path));
        return try_lock_secret(folder, id);
    }

    std::string_view name() const noexcept override { return "keyring"; }
    void interrupt() noexcept override { g_cancellable_cancel(cancellable_.get()); }

private:
    GObjectOwner<GCancellable> cancellable_;
};

}  // namespace

Result<std::unique_ptr<SecretBackend>> make_keyring_backend() {
    auto backend = std::make_unique<KeyringBackend>();
    GANTRY_CHECK(backend->probe());
    return std::unique_ptr<SecretBackend>(std::move(backend));
}

}  // namespace gantry::auth

#else

namespace gantry::auth {

Result<std::unique_ptr<SecretBackend>> make_keyring_backend() {
    return fail(ErrorCode::kUnsupported, "this build has no keyring support (libsecret was not found)");
}

}  // namespace gantry::auth

#endif
