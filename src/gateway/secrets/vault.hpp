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
    /// False: the desktop's keyring is never asked.
    bool keyring = true;
    /// Where the encrypted file is; empty: the user's data folder.
    std::filesystem::path folder = {};

    bool operator==(const VaultOptions&) const = default;
};

/// What `gantry secrets` keeps: texts by name, in the desktop's keyring and, on machines without one, in an encrypted
/// file. Every call blocks (D-Bus, disk); one thread at a time, never a loop's.
class Vault {
public:
    /// `files`: the encrypted file counts only while its path leads to where it led first; null: wherever it leads.
    explicit Vault(VaultOptions options = {}, std::shared_ptr<PinnedFiles> files = {});

    /// Keyring first; what is in neither is empty. A keyring that cannot be reached counts as empty.
    Result<std::optional<std::string>> find(const std::string& name);
    Result<std::optional<std::string>> find_in_keyring(const std::string& name);

    /// Into the keyring where there is one, else into the file. Says where: "keyring", "file".
    Result<std::string_view> save(const std::string& name, std::string_view secret);
    /// From both. True if there was one.
    Result<bool> erase(const std::string& name);
    struct Entry {
        std::string name;
        std::string_view where;
    };
    /// Names in order, never values.
    Result<std::vector<Entry>> list();

    /// Makes a call that waits for the keyring return soon. Any thread.
    void interrupt() noexcept;

private:
    using Backend = auth::SecretBackend;
    /// Null: there is none.
    Backend* keyring();
    Result<Backend*> file();
    /// Null: there is none, and none is made for reading.
    Result<Backend*> existing_file();
    std::filesystem::path folder() const;

    VaultOptions options_;
    std::shared_ptr<PinnedFiles> files_;
    std::unique_ptr<Backend> keyring_;
    std::atomic<Backend*> asked_ = nullptr;  // the same, for interrupt()
    TimePoint ask_again_ = {};
    std::unique_ptr<Backend> file_;
};

/// 1 to 128 letters, digits, '_', '-' or '.'.
Result<void> check_secret_name(std::string_view name);

}  // namespace gantry::gateway
