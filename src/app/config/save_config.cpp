#include "app/config/save_config.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>

#include "app/config/config.hpp"
#include "base/try.hpp"
#include "io/fd.hpp"

namespace gantry::app {
namespace {

namespace fs = std::filesystem;

std::unexpected<Error> failed(const fs::path& file, const char* what) {
    return fail(ErrorCode::kDenied, file.string() + ": " + what + ": " + std::system_category().message(errno));
}

/// Makes the directory entry durable too, as far as the file system supports that.
void flush_folder(const fs::path& folder) {
    const Fd fd(::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (fd) static_cast<void>(::fsync(fd.get()));
}

/// `like` is null if there was no file; the new one is then readable by this user only, since it may come to hold
/// secrets.
Result<void> write_beside(const fs::path& fresh, std::string_view content, const struct stat* like) {
    const Fd fd(::open(fresh.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!fd) return failed(fresh, "cannot be created");
    bool done = write_all(fd, content);
    if (done && like != nullptr) {
        // Only root can keep another owner; otherwise the mode has to suffice.
        if (like->st_uid != ::geteuid() || like->st_gid != ::getegid())
            static_cast<void>(::fchown(fd.get(), like->st_uid, like->st_gid));
        done = ::fchmod(fd.get(), like->st_mode & 07777U) == 0;
    }
    if (done && ::fsync(fd.get()) == 0) return {};
    auto fault = failed(fresh, "cannot be written");
    ::unlink(fresh.c_str());
    return fault;
}

Result<void> check_unchanged(const fs::path& file, bool exists, std::string_view before) {
    if (!exists && before.empty()) return {};
    GANTRY_TRY(const std::string now, read_config_file(file));
    if (now == before) return {};
    return fail(ErrorCode::kDenied,
                file.string() + ": changed by another program meanwhile; nothing was written, try again");
}

}  // namespace

Result<void> save_config(const fs::path& file, std::string_view before, std::string_view after) {
    if (auto valid = config_from(after, file); !valid) {
        return fail(valid.error().code(),
                    "not saved, since the configuration would be invalid:\n" + valid.error().message());
    }
    std::error_code error;
    const fs::path real = fs::weakly_canonical(file, error);
    const fs::path target = error ? file : real;
    struct stat status = {};
    const bool exists = ::stat(target.c_str(), &status) == 0;
    const fs::path fresh = target.string() + ".gantry-" + std::to_string(::getpid());
    GANTRY_CHECK(write_beside(fresh, after, exists ? &status : nullptr));
    if (auto same = check_unchanged(target, exists, before); !same) {
        ::unlink(fresh.c_str());
        return same;
    }
    if (::rename(fresh.c_str(), target.c_str()) != 0) {
        auto fault = failed(target, "cannot be replaced");
        ::unlink(fresh.c_str());
        return fault;
    }
    flush_folder(target.parent_path());
    return {};
}

}  // namespace gantry::app
