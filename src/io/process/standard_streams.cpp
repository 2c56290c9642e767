#include "io/process/standard_streams.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>

#include "base/try.hpp"
#include "io/loop.hpp"
#include "io/process/pipe.hpp"

namespace gantry::process {
namespace {

/// Reopened, so that O_NONBLOCK does not affect other processes; a socket cannot be reopened and is shared.
Result<Fd> own_end(int fd, int mode) {
    const std::string path = "/proc/self/fd/" + std::to_string(fd);
    if (const int fresh = ::open(path.c_str(), mode | O_NONBLOCK | O_CLOEXEC | O_NOCTTY); fresh >= 0) return Fd(fresh);
    const int copy = ::fcntl(fd, F_DUPFD_CLOEXEC, 3);
    if (copy < 0) {
        return fail(ErrorCode::kConnection, std::string(fd == STDIN_FILENO ? "standard input" : "standard output") +
                                                " cannot be used: " + std::generic_category().message(errno));
    }
    Fd end(copy);
    ::fcntl(copy, F_SETFL, ::fcntl(copy, F_GETFL) | O_NONBLOCK);
    return end;
}

}  // namespace

Result<std::unique_ptr<Stream>> standard_streams(Loop& loop) {
    GANTRY_TRY(Fd in, own_end(STDIN_FILENO, O_RDONLY));
    GANTRY_TRY(Fd out, own_end(STDOUT_FILENO, O_WRONLY));
    return std::unique_ptr<Stream>(std::make_unique<PipeStream>(loop, std::move(in), std::move(out)));
}

}  // namespace gantry::process
