#include "io/temp_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string>
#include <system_error>

namespace gantry {
namespace {

std::unexpected<Error> file_error(const char* what) {
    return fail(ErrorCode::kInternal,
                std::string("a large message: ") + what + ": " + std::generic_category().message(errno));
}

std::string directory() {
    const char* set = std::getenv("TMPDIR");
    return set != nullptr && *set == '/' ? set : "/tmp";
}

Fd open_nameless() {
    const std::string where = directory();
    Fd fd(::open(where.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC | O_EXCL, 0600));
    if (fd) return fd;
    // Some file systems do not support O_TMPFILE.
    std::string name = where + "/gantry-XXXXXX";
    Fd named(::mkostemp(name.data(), O_CLOEXEC));
    if (named) ::unlink(name.c_str());
    return named;
}

}  // namespace

Result<TempFile> TempFile::create() {
    Fd fd = open_nameless();
    if (!fd) return file_error("no temporary file");
    return TempFile(std::move(fd));
}

Result<void> TempFile::append(std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t wrote = ::write(fd_.get(), bytes.data(), bytes.size());
        if (wrote < 0 && errno == EINTR) continue;
        if (wrote <= 0) return file_error("the temporary file is full");
        bytes.remove_prefix(static_cast<std::size_t>(wrote));
        size_ += static_cast<std::size_t>(wrote);
    }
    return {};
}

void TempFile::drop() noexcept {
    static_cast<void>(::ftruncate(fd_.get(), 0));
}

Result<std::size_t> TempFile::read(std::size_t offset, std::span<char> into) const {
    for (;;) {
        const ssize_t got = ::pread(fd_.get(), into.data(), into.size(), static_cast<off_t>(offset));
        if (got >= 0) return static_cast<std::size_t>(got);
        if (errno != EINTR) return file_error("the temporary file cannot be read");
    }
}

}  // namespace gantry
