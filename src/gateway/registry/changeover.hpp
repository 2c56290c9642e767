#pragma once

#include <memory>
#include <vector>

#include "gateway/ports/source.hpp"

namespace gantry::gateway {

/// Starts sources that are not in a catalog yet; returns when each has connected or failed, or after `limit`.
Task<void> warm_up(const Context& ctx, std::vector<std::shared_ptr<Source>> fresh, Duration limit);

/// Lets calls in flight at a source finish, then stops it. When the context ends it is stopped at once.
Task<void> retire(Context ctx, std::shared_ptr<Source> source, Duration limit);

}  // namespace gantry::gateway
