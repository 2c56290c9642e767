#pragma once

#include <memory>

#include "auth/store/backend.hpp"
#include "gantry/error.hpp"
#include "io/fd.hpp"

namespace gantry::auth {

/// Locks one secret of a backend among all processes that use this folder. Null while another process holds the lock.
Result<std::unique_ptr<SecretLock>> try_lock_secret(const Fd& folder, const SecretId& id);

}  // namespace gantry::auth
