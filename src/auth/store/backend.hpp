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

/// The name of one stored secret. Not secret itself: a keyring shows it to its owner.
struct SecretId {
    std::string kind;  // "tokens", "client", "server", "secret"
    std::string issuer;
    std::string client;
    std::string resource;

    friend auto operator<=>(const SecretId&, const SecretId&) = default;
};

/// One text for the whole id; different ids have different texts.
std::string name_of(const SecretId& id);
/// The way back; empty for a text that names none.
std::optional<SecretId> id_of(std::string_view name);

/// Keeps others from changing one secret until it is destroyed, or its process ends. Any thread.
class SecretLock {
public:
    virtual ~SecretLock() = default;
};

/// A place that keeps secrets. Calls block (disk, D-Bus), come from one thread at a time and never from
/// a loop's thread; TokenStore sees to that.
class SecretBackend {
public:
    virtual ~SecretBackend() = default;

    virtual Result<std::optional<std::string>> load(const SecretId& id) = 0;
    /// Replaces. When it returns the secret is where it belongs, also after a power cut.
    virtual Result<void> save(const SecretId& id, std::string_view secret) = 0;
    /// No error when there was nothing.
    virtual Result<void> erase(const SecretId& id) = 0;

    /// The names of all secrets of one kind, never their values.
    virtual Result<std::vector<SecretId>> list(std::string_view kind) = 0;

    /// The right to replace this secret, also among processes; null while somebody else has it. Only those who ask
    /// are kept out: load, save and erase go on for everybody.
    virtual Result<std::unique_ptr<SecretLock>> try_lock(const SecretId& id) = 0;

    /// For people: "memory", "keyring", "file".
    virtual std::string_view name() const noexcept = 0;
    /// Makes a call that hangs return soon. Any thread.
    virtual void interrupt() noexcept {}
};

/// Forgets everything at the end of the process.
std::unique_ptr<SecretBackend> make_memory_backend();

/// One file encrypted with AES-256-GCM and its key beside it, both readable by the owner only. Safe against
/// crashes (a new file replaces the old one whole) and against other processes doing the same.
/// kDenied when the key or the folder is open to others, or when the file was altered.
Result<std::unique_ptr<SecretBackend>> make_file_backend(std::filesystem::path folder);

/// The file that holds its key.
std::filesystem::path file_backend_key(const std::filesystem::path& folder);
/// Whether that one is there: nothing is made, nothing is read.
bool has_file_backend(const std::filesystem::path& folder);

/// The desktop's Secret Service. kUnsupported when built without libsecret; kNotFound when no service runs,
/// it has no default collection, or that collection is locked: asking a person to unlock it is not ours to start.
Result<std::unique_ptr<SecretBackend>> make_keyring_backend();

/// $XDG_DATA_HOME/gantry, else ~/.local/share/gantry. kNotFound without either variable.
Result<std::filesystem::path> default_store_folder();

}  // namespace gantry::auth
