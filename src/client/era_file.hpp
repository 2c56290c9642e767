#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "mcp/client/era_cache.hpp"

namespace gantry {

/// The era verdicts of all programs of this user: one small private file in the cache folder, replaced whole.
/// Only a convenience: whatever is wrong with it (unreadable, corrupt, too large, not ours) means "nothing known".
/// Blocks; not for the loop's thread.
class EraFile {
public:
    static constexpr std::size_t kMaxBytes = 256u << 10;

    explicit EraFile(std::filesystem::path folder) : folder_(std::move(folder)) {}
    /// $XDG_CACHE_HOME/gantry, else ~/.cache/gantry; empty when the environment names neither.
    static std::optional<EraFile> of_user();

    /// Empty when there is nothing to read.
    std::string read() const;
    /// Adds what was learned to what others wrote meanwhile.
    void update(const mcp::EraCache& learned) const;

private:
    std::filesystem::path folder_;
};

}  // namespace gantry
