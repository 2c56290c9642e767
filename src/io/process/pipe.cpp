#include "io/process/pipe.hpp"

#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "base/try.hpp"
#include "io/quick_calls.hpp"

namespace gantry::process {
namespace {

std::unexpected<Error> closed_error() {
    return fail(ErrorCode::kConnection, "the pipe to the child process is closed");
}

/// Writing to a closed reader must be an error, never a signal. The host program may use SIGPIPE for itself, so it is
/// blocked only in threads that write to pipes.
void block_sigpipe() {
    static thread_local const bool blocked = [] {
        sigset_t pipe;
        sigemptyset(&pipe);
        sigaddset(&pipe, SIGPIPE);
        return ::pthread_sigmask(SIG_BLOCK, &pipe, nullptr) == 0;
    }();
    static_cast<void>(blocked);
}

}  // namespace

PipeReader::PipeReader(Loop& loop, Fd fd) : fd_(loop, std::move(fd)) {
    struct stat kind{};
    is_pipe_ = ::fstat(fd_.get(), &kind) == 0 && S_ISFIFO(kind.st_mode);
}

Task<Result<std::size_t>> PipeReader::read_some(const Context& ctx, std::span<char> into) {
    const auto self = shared_from_this();
    GANTRY_CO_CHECK(ctx.check());
    for (;;) {
        if (!fd_.is_open()) co_return closed_error();
        const ssize_t size = fd_.may_read() ? quick::read(fd_.get(), into.data(), into.size()) : -1;
        if (size >= 0) {
            const auto count = static_cast<std::size_t>(size);
            // A pipe returns all it has; a terminal returns a line, and more may be available.
            if (is_pipe_ && count < into.size()) fd_.read_dry();
            co_return Result<std::size_t>(count);
        }
        if (fd_.may_read()) {
            if (errno == EINTR) continue;
            if (errno != EAGAIN) co_return Result<std::size_t>(0);
            fd_.read_dry();
        }
        auto waited = co_await fd_.readable(ctx);
        if (!fd_.is_open()) co_return closed_error();
        if (!waited) co_return fail(std::move(waited).error());
    }
}

void PipeReader::close() noexcept {
    fd_.close();
}

Task<Result<void>> PipeWriter::write(const Context& ctx, std::string_view bytes) {
    const auto self = shared_from_this();
    GANTRY_CO_CHECK(ctx.check());
    block_sigpipe();
    while (!bytes.empty()) {
        if (!fd_.is_open()) co_return closed_error();
        const ssize_t size = quick::write(fd_.get(), bytes.data(), bytes.size());
        if (size >= 0) {
            bytes.remove_prefix(static_cast<std::size_t>(size));
        } else if (errno == EAGAIN) {
            fd_.write_full();
            GANTRY_CO_CHECK(co_await room(ctx));
        } else if (errno == EPIPE) {
            co_return fail(ErrorCode::kConnection, "the child process no longer reads its input");
        } else if (errno != EINTR) {
            co_return fail(ErrorCode::kConnection,
                           "cannot write to the child process: " + std::generic_category().message(errno));
        }
    }
    co_return Result<void>();
}

/// One task waits for the pipe, the others for that task. Closing is detected by the task that resumes.
Task<Result<void>> PipeWriter::room(const Context& ctx) {
    if (waiting_) co_return co_await changed_.wait(ctx);
    waiting_ = true;
    auto waited = co_await fd_.writable(ctx);
    waiting_ = false;
    changed_.pulse();
    if (!waited && fd_.is_open()) co_return waited;
    co_return Result<void>();
}

void PipeWriter::close() noexcept {
    fd_.close();
}

PipeStream::PipeStream(Loop& loop, Fd from, Fd to)
    : reader_(std::make_shared<PipeReader>(loop, std::move(from))),
      writer_(std::make_shared<PipeWriter>(loop, std::move(to))) {}

Task<Result<std::size_t>> PipeStream::read_some(const Context& ctx, std::span<char> into) {
    return reader_->read_some(ctx, into);
}

Task<Result<void>> PipeStream::write(const Context& ctx, std::string_view bytes) {
    return writer_->write(ctx, bytes);
}

Task<Result<void>> PipeStream::shutdown_write(const Context&) {
    writer_->close();
    co_return Result<void>();
}

void PipeStream::close() noexcept {
    writer_->close();
    reader_->close();
}

}  // namespace gantry::process
