#include "io/process/pipe.hpp"

#include <unistd.h>

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "base/try.hpp"

namespace gantry::process {
namespace {

using boost::system::error_code;

std::unexpected<Error> closed_error() {
    return fail(ErrorCode::kConnection, "the pipe to the child process is closed");
}

}  // namespace

Task<Result<std::size_t>> PipeReader::read_some(const Context& ctx, std::span<char> into) {
    const auto self = shared_from_this();
    GANTRY_CO_CHECK(ctx.check());
    for (;;) {
        if (closed_) co_return closed_error();
        if (begin_ < end_) {
            const std::size_t size = std::min(into.size(), end_ - begin_);
            std::memcpy(into.data(), buffer_.data() + begin_, size);
            begin_ += size;
            co_return Result<std::size_t>(size);
        }
        if (finished_) co_return Result<std::size_t>(0);
        if (!reading_) start_read();
        GANTRY_CO_CHECK(co_await changed_.wait(ctx));
    }
}

void PipeReader::start_read() {
    reading_ = true;
    buffer_.resize(kBufferBytes);
    fd_.async_read_some(boost::asio::buffer(buffer_), [self = shared_from_this()](error_code error, std::size_t size) {
        self->reading_ = false;
        self->begin_ = 0;
        self->end_ = error ? 0 : size;
        self->finished_ = static_cast<bool>(error);
        self->changed_.pulse();
    });
}

void PipeReader::close() noexcept {
    if (std::exchange(closed_, true)) return;
    error_code ignored;
    fd_.close(ignored);
    changed_.pulse();
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
