#include "io/process/pipe.hpp"

#include <unistd.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <cerrno>
#include <system_error>
#include <utility>

#include "base/try.hpp"
#include "io/context_guard.hpp"

namespace gantry::process {
namespace {

using boost::system::error_code;

std::unexpected<Error> closed_error() {
    return fail(ErrorCode::kConnection, "the pipe to the child process is closed");
}

}  // namespace

PipeReader::PipeReader(Executor executor, Fd fd) : fd_(executor, fd.release()) {
    error_code ignored;
    fd_.non_blocking(true, ignored);
}

Task<Result<std::size_t>> PipeReader::read_some(const Context& ctx, std::span<char> into) {
    const auto self = shared_from_this();
    GANTRY_CO_CHECK(ctx.check());
    const ContextGuard guard(fd_, Loop::current(), ctx);
    for (;;) {
        if (closed_) co_return closed_error();
        const auto [error, size] = co_await fd_.async_read_some(boost::asio::buffer(into.data(), into.size()), kAwait);
        if (!error) co_return Result<std::size_t>(size);
        if (closed_) co_return closed_error();
        if (error != boost::asio::error::operation_aborted) co_return Result<std::size_t>(0);
        if (guard.ended()) co_return fail(guard.error());
    }
}

void PipeReader::close() noexcept {
    if (std::exchange(closed_, true)) return;
    error_code ignored;
    fd_.close(ignored);
}

Task<Result<void>> PipeWriter::write(const Context& ctx, std::string_view bytes) {
    const auto self = shared_from_this();
    GANTRY_CO_CHECK(ctx.check());
    while (!bytes.empty()) {
        if (closed_) co_return closed_error();
        const ssize_t size = ::write(fd_.native_handle(), bytes.data(), bytes.size());
        if (size >= 0) {
            bytes.remove_prefix(static_cast<std::size_t>(size));
        } else if (errno == EAGAIN) {
            if (!waiting_) start_wait();
            GANTRY_CO_CHECK(co_await changed_.wait(ctx));
        } else if (errno == EPIPE) {
            co_return fail(ErrorCode::kConnection, "the child process no longer reads its input");
        } else if (errno != EINTR) {
            co_return fail(ErrorCode::kConnection,
                           "cannot write to the child process: " + std::generic_category().message(errno));
        }
    }
    co_return Result<void>();
}

void PipeWriter::start_wait() {
    waiting_ = true;
    fd_.async_wait(Descriptor::wait_write, [self = shared_from_this()](error_code) {
        self->waiting_ = false;
        self->changed_.pulse();
    });
}

void PipeWriter::close() noexcept {
    if (std::exchange(closed_, true)) return;
    error_code ignored;
    fd_.close(ignored);
    changed_.pulse();
}

PipeStream::PipeStream(Executor executor, Fd from, Fd to)
    : reader_(std::make_shared<PipeReader>(executor, std::move(from))),
      writer_(std::make_shared<PipeWriter>(executor, std::move(to))) {}

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
