#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "auth/store/backend.hpp"
#include "base/clock.hpp"
#include "gantry/error.hpp"
#include "io/pinned_files.hpp"

namespace gantry::gateway {

struct VaultOptions {
    /// False: the desktop's keyring is not used.
    bool keyring = true;
    /// Folder of the encrypted file; empty: the user's data folder.
    std::filesystem::path folder = {};

    bool operator==(const VaultOptions&) const = default;
};

/// Storage of `gantry secrets`: named texts in the desktop's keyring or, on machines without one, in an encrypted file.
/// Every call blocks (D-Bus, disk); not thread-safe, and never to be used on a loop's thread.
class Vault {
public:
    /// `files`: the encrypted file is used only while its path leads to the same file as at first; null: wherever it
    /// leads.
    explicit Vault(VaultOptions options = {}, std::shared_ptr<PinnedFiles> files = {});

    /// Searches the keyring first; empty when neither has it. An unreachable keyring counts as empty.
    Result<std::optional<std::string>> find(const std::string& name);
    Result<std::optional<std::string>> find_in_keyring(const std::string& name);

    /// Saves to the keyring if there is one, otherwise to the file. Returns which: "keyring", "file".
    Result<std::string_view> save(const std::string& name, std::string_view secret);
    /// Removes it from both. True if either had it.
    Result<bool> erase(const std::string& name);
    struct Entry {
        std::string name;
        std::string_view where;
    };
    /// Names in order, never values.
    Result<std::vector<Entry>> list();

    /// Makes a call that waits for the keyring return soon. Thread-safe.
    void interrupt() noexcept;

private:
    using Backend = auth::SecretBackend;
    /// Null: there is none.
    Backend* keyring();
    Result<Backend*> file();
    /// Null: there is none; reading never creates one.
    Result<Backend*> existing_file();
    std::filesystem::path folder() const;

    VaultOptions options_;
    std::shared_ptr<PinnedFiles> files_;
    std::unique_ptr<Backend> keyring_;
    std::atomic<Backend*> asked_ = nullptr;  // the one in use, for interrupt()
    TimePoint ask_again_ = {};
    std::unique_ptr<Backend> file_;
};

/// 1 to 128 letters, digits, '_', '-' or '.'.
Result<void> check_secret_name(std::string_view name);

}  // namespace gantry::gateway
