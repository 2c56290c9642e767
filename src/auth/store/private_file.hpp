#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "auth/store/backend.hpp"
#include "gantry/error.hpp"

namespace gantry::auth {

/// A file descriptor that closes itself.
class Fd {
public:
    explicit Fd(int fd = -1) noexcept : fd_(fd) {}
    Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    Fd& operator=(Fd&& other) noexcept {
        std::swap(fd_, other.fd_);
        return *this;
    }
    ~Fd();
    int get() const noexcept { return fd_; }
    explicit operator bool() const noexcept { return fd_ >= 0; }

private:
    int fd_;
};

/// Creates the folder with 0700 if needed. kDenied when it belongs to somebody else or others may write there.
Result<Fd> open_private_folder(const std::filesystem::path& folder);

/// Waits for the other processes that use this folder.
Result<Fd> lock_folder(const Fd& folder);

/// A lock of its own name in the folder, or nothing while somebody else holds it; `name` is hashed. Closing the
/// descriptor, also by dying, gives it up.
Result<std::optional<Fd>> try_lock_name(const Fd& folder, std::string_view name);

/// The same for a backend's secret.
Result<std::unique_ptr<SecretLock>> try_lock_secret(const Fd& folder, const SecretId& id);

/// Empty optional when there is no such file. kDenied when it is a link, not ours or open to group or others.
Result<std::optional<std::string>> read_private_file(const Fd& folder, const char* name, std::size_t limit);

/// For reading and appending, made with 0600 when it is not there. kDenied as above.
Result<Fd> open_private_log(const Fd& folder, const char* name);

/// Writes beside, flushes to the disk, renames, flushes the folder: either the old or the new content exists.
Result<void> replace_private_file(const Fd& folder, const char* name, std::string_view content);

}  // namespace gantry::auth
