#include "io/private_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/crypto/base64url.hpp"
#include "base/crypto/digest.hpp"
#include "base/try.hpp"

namespace gantry {
namespace {

std::unexpected<Error> system_error(std::string_view what) {
    return fail(ErrorCode::kInternal, std::string(what) + ": " + std::strerror(errno));
}

Result<void> check_private(int fd, std::string_view what, mode_t forbidden) {
    struct stat info{};
    if (::fstat(fd, &info) != 0) return system_error("stat");
    if (info.st_uid != ::geteuid())
        return fail(ErrorCode::kDenied, "the " + std::string(what) + " belongs to another user");
    if ((info.st_mode & forbidden) != 0)
        return fail(ErrorCode::kDenied,
                    "the " + std::string(what) + " is open to others; take their permissions away (chmod go=)");
    return {};
}

}  // namespace

Result<Fd> open_private_folder(const std::filesystem::path& folder) {
    std::error_code error;
    if (folder.has_parent_path()) std::filesystem::create_directories(folder.parent_path(), error);
    if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) return system_error("create folder");
    Fd fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!fd) return system_error("open folder");
    GANTRY_CHECK(check_private(fd.get(), "folder", S_IWGRP | S_IWOTH));
    return fd;
}

Result<Fd> lock_folder(const Fd& folder) {
    Fd lock(::openat(folder.get(), "tokens.lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!lock) return system_error("open lock");
    while (::flock(lock.get(), LOCK_EX) != 0)
        if (errno != EINTR) return system_error("lock");
    return lock;
}

Result<std::optional<Fd>> try_lock_name(const Fd& folder, std::string_view name) {
    const std::string file = "lock-" + crypto::base64url_encode(crypto::sha256(name).substr(0, 15));
    Fd lock(::openat(folder.get(), file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!lock) return system_error("open lock");
    while (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) {
        if (errno == EWOULDBLOCK) return std::optional<Fd>();
        if (errno != EINTR) return system_error("lock");
    }
    return std::optional(std::move(lock));
}

Result<std::optional<std::string>> read_private_file(const Fd& folder, const char* name, std::size_t limit) {
    const Fd file(::openat(folder.get(), name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    if (!file) {
        if (errno == ENOENT) return std::optional<std::string>();
        if (errno == ELOOP)
            return fail(ErrorCode::kDenied, std::string(name) + " is a symbolic link, which is not followed");
        return system_error("open");
    }
    GANTRY_CHECK(check_private(file.get(), name, S_IRWXG | S_IRWXO));
    std::string content;
    char buffer[16384];
    for (;;) {
        const ssize_t got = ::read(file.get(), buffer, sizeof buffer);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return system_error("read");
        if (got == 0) return std::optional(std::move(content));
        content.append(buffer, static_cast<std::size_t>(got));
        if (content.size() > limit) return fail(ErrorCode::kLimit, std::string(name) + " is larger than expected");
    }
}

Result<Fd> open_private_log(const Fd& folder, const char* name) {
    Fd file(::openat(folder.get(), name, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY,
                     0600));
    if (!file) {
        if (errno == ELOOP)
            return fail(ErrorCode::kDenied, std::string(name) + " is a symbolic link, which is not followed");
        return system_error("open");
    }
    GANTRY_CHECK(check_private(file.get(), name, S_IRWXG | S_IRWXO));
    return file;
}

Result<void> replace_private_file(const Fd& folder, const char* name, std::string_view content) {
    // Only the holder of the folder's lock writes, so one fixed name suffices; remove a leftover of a crash.
    const std::string temporary = std::string(name) + ".new";
    if (::unlinkat(folder.get(), temporary.c_str(), 0) != 0 && errno != ENOENT) return system_error("remove leftover");
    const auto write_temporary = [&]() -> Result<void> {
        const Fd file(
            ::openat(folder.get(), temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
        if (!file) return system_error("create");
        if (!write_all(file, content)) return system_error("write");
        if (::fsync(file.get()) != 0) return system_error("fsync");
        return {};
    };
    if (auto written = write_temporary(); !written) {
        ::unlinkat(folder.get(), temporary.c_str(), 0);
        return written;
    }
    if (::renameat(folder.get(), temporary.c_str(), folder.get(), name) != 0) return system_error("rename");
    if (::fsync(folder.get()) != 0) return system_error("fsync folder");
    return {};
}

}  // namespace gantry
