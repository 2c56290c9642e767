#pragma once

#include <sys/resource.h>

#include <cstddef>
#include <optional>

namespace gantry::process {

/// Lets this process open as many descriptors as the system allows it (the hard limit) and says how many that is. Many
/// systems start programs with 1024, for the sake of select(2), which we do not use. Children may, so they still begin
/// with the limit this process was started with.
std::size_t raise_descriptor_limit();

/// What children are given; empty: the same as ours, which was never raised.
std::optional<rlimit> descriptor_limit_for_children() noexcept;

}  // namespace gantry::process
