#pragma once

#include <sys/resource.h>

#include <cstddef>
#include <optional>

namespace gantry::process {

/// Raises this process's descriptor limit to the hard limit and returns it. Many systems start programs with 1024, for
/// the sake of select(2), which we do not use. Children may use it, so they still get the limit this process was
/// started with.
std::size_t raise_descriptor_limit();

/// The limit for children; empty: ours, which was never raised.
std::optional<rlimit> descriptor_limit_for_children() noexcept;

}  // namespace gantry::process
