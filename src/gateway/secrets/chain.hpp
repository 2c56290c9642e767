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
    /// NAME=VALUE lines; empty: none. Read again at every lookup. One that is not there is as good as empty.
    std::filesystem::path env_file = {};
    /// Whether this process's environment is asked last.
    bool environment = true;
    /// What `${file:PATH}` is relative to.
    std::filesystem::path base = {};
    /// Reads the files of a process that runs for long; null: they are read by whatever their paths lead to.
    std::shared_ptr<PinnedFiles> files = {};

    bool operator==(const SecretOptions&) const = default;
};

/// Where references lead: the keyring, the encrypted file, the env file, the environment, in this order. Every call
/// blocks; one thread at a time, never a loop's.
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
