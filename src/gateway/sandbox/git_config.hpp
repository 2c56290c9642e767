#pragma once

#include <string>

#include "gantry/error.hpp"

namespace gantry::gateway::sandbox {

/// Has git in a server's own home know what it knows in the user's, above all who commits: settings in `own` that
/// include those in `home`. The user's files are only read, and what the server writes stays in its own. Leaves alone
/// what is there already; the server may have changed what lies in `own`, so no link there is followed.
Result<void> include_git_config(const std::string& own, const std::string& home);

}  // namespace gantry::gateway::sandbox
