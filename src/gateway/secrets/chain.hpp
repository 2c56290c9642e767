#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "gateway/secrets/expand.hpp"
#include "gateway/secrets/vault.hpp"
#include "io/pinned_files.hpp"

namespace gantry::gateway {

struct SecretOptions {
    VaultOptions vault = {};
    /// NAME=VALUE lines; empty: no file. Read again at every lookup. A missing file counts as an empty one.
    std::filesystem::path env_file = {};
    /// Whether this process's environment is searched last.
    bool environment = true;
    /// The base of relative paths in `${file:PATH}`.
    std::filesystem::path base = {};
    /// Reads the files in a long-running process; null: files are read through whatever their paths lead to.
    std::shared_ptr<PinnedFiles> files = {};

    bool operator==(const SecretOptions&) const = default;
};

/// Looks references up in the keyring, the encrypted file, the env file and the environment, in this order. Every call
/// blocks; not thread-safe, and never to be used on a loop's thread.
class SecretChain {
public:
    explicit SecretChain(SecretOptions options)
        : options_(std::move(options)), vault_(options_.vault, options_.files) {}

    Result<std::optional<std::string>> find(const Reference& reference);
    /// See Vault::interrupt().
    void interrupt() noexcept { vault_.interrupt(); }
    Lookup lookup() {
        return [this](const Reference& reference) { return find(reference); };
    }

private:
    Result<std::optional<std::string>> in_env_file(const std::string& name) const;
    Result<std::optional<std::string>> in_file(const std::string& path) const;
    Result<std::optional<std::string>> text_of(const std::filesystem::path& file, std::size_t limit) const;

    SecretOptions options_;
    Vault vault_;
};

}  // namespace gantry::gateway
