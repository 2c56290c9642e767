#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "mcp/client/era_cache.hpp"

namespace gantry {

/// The cached era verdicts of all programs of this user: one small private file in the cache folder, replaced
/// atomically. Best effort: any problem with it (unreadable, corrupt, too large, not ours) means an empty cache.
/// Blocks; not for the loop's thread.
class EraFile {
public:
    static constexpr std::size_t kMaxBytes = 256u << 10;

    explicit EraFile(std::filesystem::path folder) : folder_(std::move(folder)) {}
    /// $XDG_CACHE_HOME/gantry, else ~/.cache/gantry; empty if the environment has neither.
    static std::optional<EraFile> of_user();

    /// Empty if there is nothing to read.
    std::string read() const;
    /// Merges the new verdicts with what other processes wrote meanwhile.
    void update(const mcp::EraCache& learned) const;

private:
    std::filesystem::path folder_;
};

}  // namespace gantry
