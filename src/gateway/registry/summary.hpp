#pragma once

#include <span>
#include <string>

#include "gateway/registry/registry.hpp"

namespace gantry::gateway {

/// Describes in sentences what is connected and what it is good for, for a model's prompt or for a person. Bounded,
/// whatever servers say about themselves. Deterministic for the same sources.
std::string capability_summary(std::span<const Registered> sources);

}  // namespace gantry::gateway
