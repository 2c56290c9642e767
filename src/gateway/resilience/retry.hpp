#pragma once

#include "gantry/error.hpp"
#include "gateway/model/call.hpp"
#include "gateway/model/resilience.hpp"

namespace gantry::gateway {

/// Whether a call that ended with `error` may be repeated: it surely did not run, or it is idempotent. Lost connections
/// do not count here, because the connection itself has repeated what may be repeated.
bool may_repeat(const RetryOptions& options, const Error& error, const AdmittedCall& call) noexcept;

/// The pause before attempt `number`, which is 2 or more: doubles each time, and between half and all of it.
Duration pause_before(const RetryOptions& options, std::size_t number, double chance) noexcept;
/// The same with a chance of its own.
Duration pause_before(const RetryOptions& options, std::size_t number) noexcept;

}  // namespace gantry::gateway
