#pragma once

#include "gantry/error.hpp"
#include "gateway/model/call.hpp"
#include "gateway/model/resilience.hpp"

namespace gantry::gateway {

/// Whether a call that ended so may be made again. Only what surely did not run, or where twice is like once. Lost
/// connections are not among it: the connection itself repeats what may be repeated, and not once more on top.
bool may_repeat(const RetryOptions& options, const Error& error, const AdmittedCall& call) noexcept;

/// The pause before attempt `number`, which is 2 or more: doubles each time, and between half and all of it.
Duration pause_before(const RetryOptions& options, std::size_t number, double chance) noexcept;
/// The same with a chance of its own.
Duration pause_before(const RetryOptions& options, std::size_t number) noexcept;

}  // namespace gantry::gateway
