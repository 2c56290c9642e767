#pragma once

#include <span>
#include <string>

#include "gateway/registry/registry.hpp"

namespace gantry::gateway {

/// What is connected and what it is good for, in sentences: for the prompt of a model, or for a person. Bounded
/// whatever servers say about themselves. The same for the same sources.
std::string capability_summary(std::span<const Registered> sources);

}  // namespace gantry::gateway
