#include "mcp/transport/spooled_message.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <limits>
#include <system_error>

#include "base/try.hpp"

namespace gantry::mcp {
namespace {

std::unexpected<Error> file_error(const char* what) {
    return fail(ErrorCode::kInternal,
                std::string("a large message: ") + what + ": " + std::generic_category().message(errno));
}

std::string directory() {
    const char* set = std::getenv("TMPDIR");
    return set != nullptr && *set == '/' ? set : "/tmp";
}

/// A file nobody else can open, gone when it is closed.
int open_nameless() {
    const std::string where = directory();
    const int fd = ::open(where.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC | O_EXCL, 0600);
    if (fd >= 0) return fd;
    // Some file systems know no files without names.
    std::string name = where + "/gantry-XXXXXX";
    const int named = ::mkostemp(name.data(), O_CLOEXEC);
    if (named >= 0) ::unlink(name.c_str());
    return named;
}

}  // namespace

Result<std::unique_ptr<SpooledMessage>> SpooledMessage::create(std::size_t max_bytes) {
    const int fd = open_nameless();
    if (fd < 0) return file_error("no temporary file");
    return std::unique_ptr<SpooledMessage>(new SpooledMessage(fd, max_bytes));
}

SpooledMessage::SpooledMessage(int fd, std::size_t max_bytes)
    : fd_(fd), max_bytes_(max_bytes), scanner_({.max_bytes = std::numeric_limits<std::uint32_t>::max()}) {}

SpooledMessage::~SpooledMessage() {
    ::close(fd_);
}

void SpooledMessage::append(std::string_view bytes) {
    if (readable_) {
        if (auto fed = scanner_.feed(bytes); !fed) {
            readable_ = false;
            if (!fault_) fault_ = std::move(fed).error();
        }
    }
    if (!fault_ && size_ + bytes.size() > max_bytes_) {
        fault_ = Error(ErrorCode::kLimit,
                       "a message of the peer is longer than the limit of " + std::to_string(max_bytes_) + " bytes");
        // What was kept is of no use any more.
        static_cast<void>(::ftruncate(fd_, 0));
    }
    if (!fault_) keep(bytes);
    size_ += bytes.size();
}

void SpooledMessage::keep(std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t wrote = ::write(fd_, bytes.data(), bytes.size());
        if (wrote < 0 && errno == EINTR) continue;
        if (wrote <= 0) {
            fault_ = file_error("the temporary file is full").error();
            return;
        }
        bytes.remove_prefix(static_cast<std::size_t>(wrote));
    }
}

void SpooledMessage::finish() {
    if (!readable_) return;
    if (auto finished = scanner_.finish(); !finished && !fault_) fault_ = std::move(finished).error();
}

Result<std::size_t> SpooledMessage::read(std::size_t offset, std::span<char> into) const {
    for (;;) {
        const ssize_t got = ::pread(fd_, into.data(), into.size(), static_cast<off_t>(offset));
        if (got >= 0) return static_cast<std::size_t>(got);
        if (errno != EINTR) return file_error("the temporary file cannot be read");
    }
}

Result<std::string> SpooledMessage::load() const {
    if (fault_) return fail(*fault_);
    std::string text(size_, '\0');
    for (std::size_t at = 0; at < size_;) {
        GANTRY_TRY(const std::size_t got, read(at, {text.data() + at, size_ - at}));
        if (got == 0) return fail(ErrorCode::kInternal, "a large message: the temporary file is too short");
        at += got;
    }
    return text;
}

}  // namespace gantry::mcp
