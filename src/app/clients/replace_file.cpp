#include "app/clients/replace_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>

#include "base/try.hpp"
#include "io/fd.hpp"

namespace gantry::app {
namespace {

std::unexpected<Error> failed(const std::filesystem::path& file, const char* what) {
    return fail(ErrorCode::kDenied, file.string() + ": " + what + ": " + std::system_category().message(errno));
}

/// Creates a file and flushes it to disk.
Result<void> write_whole(const std::filesystem::path& file, std::string_view content, mode_t mode) {
    const Fd fd(::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode));
    if (!fd) return failed(file, "cannot be created");
    if (write_all(fd, content) && ::fchmod(fd.get(), mode) == 0 && ::fsync(fd.get()) == 0) return {};
    auto fault = failed(file, "cannot be written");
    ::unlink(file.c_str());
    return fault;
}

/// The first of FILE.before-gantry, FILE.before-gantry-2, … that is free.
Result<std::filesystem::path> back_up(const std::filesystem::path& file) {
    for (int n = 1; n < 1000; ++n) {
        const std::filesystem::path copy = file.string() + ".before-gantry" + (n == 1 ? "" : "-" + std::to_string(n));
        std::error_code error;
        if (std::filesystem::exists(copy, error)) continue;
        if (std::filesystem::copy_file(file, copy, error)) return copy;
        return fail(ErrorCode::kDenied, copy.string() + ": cannot be created: " + error.message());
    }
    return fail(ErrorCode::kLimit, file.string() + ": too many copies beside it");
}

}  // namespace

Result<std::filesystem::path> replace_with_backup(const std::filesystem::path& file, std::string_view content) {
    std::error_code error;
    const std::filesystem::path real = std::filesystem::weakly_canonical(file, error);
    const std::filesystem::path target = error ? file : real;
    if (!target.parent_path().empty()) std::filesystem::create_directories(target.parent_path(), error);
    struct stat status = {};
    const bool there = ::stat(target.c_str(), &status) == 0;
    std::filesystem::path copy;
    if (there) {
        GANTRY_TRY(copy, back_up(target));
    }
    const std::filesystem::path fresh = target.string() + ".gantry-" + std::to_string(::getpid());
    GANTRY_CHECK(write_whole(fresh, content, there ? status.st_mode & 07777u : 0600u));
    if (::rename(fresh.c_str(), target.c_str()) != 0) {
        auto fault = failed(target, "cannot be replaced");
        ::unlink(fresh.c_str());
        return fault;
    }
    return copy;
}

Result<void> write_new_file(const std::filesystem::path& file, std::string_view content) {
    std::error_code error;
    if (std::filesystem::exists(file, error)) {
        return fail(ErrorCode::kInvalidArgument, file.string() + " already exists; not overwritten");
    }
    return write_whole(file, content, 0644);
}

Result<void> replace_whole(const std::filesystem::path& file, std::string_view content) {
    struct stat status = {};
    const bool there = ::stat(file.c_str(), &status) == 0;
    const std::filesystem::path fresh = file.string() + ".gantry-" + std::to_string(::getpid());
    GANTRY_CHECK(write_whole(fresh, content, there ? status.st_mode & 07777u : 0644u));
    if (::rename(fresh.c_str(), file.c_str()) == 0) return {};
    auto fault = failed(file, "cannot be replaced");
    ::unlink(fresh.c_str());
    return fault;
}

}  // namespace gantry::app
