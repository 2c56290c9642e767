#pragma once

#include "gantry/error.hpp"
#include "gateway/model/call.hpp"
#include "gateway/model/resilience.hpp"

namespace gantry::gateway {

/// Whether a call that ended with `error` may be retried: it was certainly not executed, or it is idempotent. Lost
/// connections are excluded, because the connection has already retried what may be retried.
bool may_repeat(const RetryOptions& options, const Error& error, const AdmittedCall& call) noexcept;

/// Back-off before attempt `number`, which is at least 2: doubles each time, between half and all of it by `chance`.
Duration pause_before(const RetryOptions& options, std::size_t number, double chance) noexcept;
/// The same with a random `chance`.
Duration pause_before(const RetryOptions& options, std::size_t number) noexcept;

}  // namespace gantry::gateway
