#pragma once

#include <compare>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gantry/error.hpp"

namespace gantry::auth {

/// The name of one stored secret. Not secret itself: a keyring displays it to its owner.
struct SecretId {
    std::string kind;  // "tokens", "client", "server", "secret"
    std::string issuer;
    std::string client;
    std::string resource;

    friend auto operator<=>(const SecretId&, const SecretId&) = default;
};

/// An injective text form of the id.
std::string name_of(const SecretId& id);
/// The inverse; empty if the text is not a name.
std::optional<SecretId> id_of(std::string_view name);

/// Prevents others from replacing one secret until it is destroyed or its process ends. Any thread.
class SecretLock {
public:
    virtual ~SecretLock() = default;
};

/// Storage for secrets. Calls block (disk, D-Bus), come from one thread at a time and never from
/// a loop's thread; TokenStore ensures that.
class SecretBackend {
public:
    virtual ~SecretBackend() = default;

    virtual Result<std::optional<std::string>> load(const SecretId& id) = 0;
    /// Replaces the secret. Durable when it returns, also across a power failure.
    virtual Result<void> save(const SecretId& id, std::string_view secret) = 0;
    /// Not an error if there is none.
    virtual Result<void> erase(const SecretId& id) = 0;

    /// The names of all secrets of one kind, never their values.
    virtual Result<std::vector<SecretId>> list(std::string_view kind) = 0;

    /// Advisory lock for replacing this secret, also across processes; null while it is held elsewhere. load, save and
    /// erase do not check it.
    virtual Result<std::unique_ptr<SecretLock>> try_lock(const SecretId& id) = 0;

    /// Display name: "memory", "keyring", "file".
    virtual std::string_view name() const noexcept = 0;
    /// Makes a blocked call return soon. Any thread.
    virtual void interrupt() noexcept {}
};

/// Lives until the process ends.
std::unique_ptr<SecretBackend> make_memory_backend();

/// One file encrypted with AES-256-GCM and its key next to it, both readable by the owner only. Safe against
/// crashes (atomic replacement) and against other processes using it.
/// kDenied if the key or the folder is accessible to others, or if the file was altered.
Result<std::unique_ptr<SecretBackend>> make_file_backend(std::filesystem::path folder);

/// The file that holds its key.
std::filesystem::path file_backend_key(const std::filesystem::path& folder);
/// Whether the key file exists; creates and reads nothing.
bool has_file_backend(const std::filesystem::path& folder);

/// The desktop's Secret Service. kUnsupported if built without libsecret; kNotFound if no service runs,
/// it has no default collection, or that collection is locked: this library does not prompt for unlocking.
Result<std::unique_ptr<SecretBackend>> make_keyring_backend();

/// $XDG_DATA_HOME/gantry, else ~/.local/share/gantry. kNotFound without either variable.
Result<std::filesystem::path> default_store_folder();

}  // namespace gantry::auth
