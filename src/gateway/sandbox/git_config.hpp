#pragma once

#include <string>

#include "gantry/error.hpp"

namespace gantry::gateway::sandbox {

/// Makes the user's git settings, above all the committer identity, available in a server's own home: writes settings
/// to `own` that include those in `home`. The user's files are only read, and the server's changes stay in its own
/// home. Existing files are kept; since the server may have changed `own`, symbolic links in it are not followed.
Result<void> include_git_config(const std::string& own, const std::string& home);

}  // namespace gantry::gateway::sandbox
