#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "gateway/events/chain.hpp"

namespace gantry::gateway::events {

/// What looking at the whole chain has shown.
struct Verdict {
    std::int64_t entries = 0;
    ChainLink start;  // the last entry that retention let go
    ChainLink head;   // the last entry
    /// What is wrong, for people, the first ten; empty: every entry is there, in order and as it was written.
    std::vector<std::string> faults;
};

/// Reads the journal in `folder` from its first entry to the last; may run while somebody writes. `expected` is a place
/// somebody wrote down elsewhere: it must still be in the chain. kNotFound when there is no journal.
Result<Verdict> verify_journal(const std::filesystem::path& folder, const std::optional<ChainLink>& expected = {});

}  // namespace gantry::gateway::events
