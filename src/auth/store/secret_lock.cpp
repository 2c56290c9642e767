#include "auth/store/secret_lock.hpp"

#include <utility>

#include "base/try.hpp"
#include "io/private_file.hpp"

namespace gantry::auth {

Result<std::unique_ptr<SecretLock>> try_lock_secret(const Fd& folder, const SecretId& id) {
    struct FileLock final : SecretLock {
        explicit FileLock(Fd held) : fd(std::move(held)) {}
        Fd fd;
    };
    GANTRY_TRY(auto lock, try_lock_name(folder, name_of(id)));
    if (!lock) return std::unique_ptr<SecretLock>();
    return std::unique_ptr<SecretLock>(std::make_unique<FileLock>(*std::move(lock)));
}

}  // namespace gantry::auth
