#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "gateway/events/chain.hpp"

namespace gantry::gateway::events {

/// Result of verifying the whole chain.
struct Verdict {
    std::int64_t entries = 0;
    ChainLink start;  // the last entry that retention removed
    ChainLink head;   // the last entry
    /// The first ten faults, human-readable; empty: every entry is present, in order and unmodified.
    std::vector<std::string> faults;
};

/// Reads the journal in `folder` from its first entry to the last; may run while another process writes. `expected` is
/// a position that was stored elsewhere: it must still be in the chain. kNotFound when there is no journal.
Result<Verdict> verify_journal(const std::filesystem::path& folder, const std::optional<ChainLink>& expected = {});

}  // namespace gantry::gateway::events
