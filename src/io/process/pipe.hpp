#pragma once

#include <boost/asio/posix/basic_stream_descriptor.hpp>
#include <memory>
#include <span>
#include <string_view>

#include "io/process/fd.hpp"
#include "io/stream.hpp"
#include "io/sync.hpp"

namespace gantry::process {

using Descriptor = boost::asio::posix::basic_stream_descriptor<Executor>;

/// The reading end of a pipe. Reads on demand only, so a child that writes more than we read is held
/// back by its pipe. A timed-out read loses nothing: what arrives later is there for the next one.
class PipeReader : public std::enable_shared_from_this<PipeReader> {
public:
    PipeReader(Executor executor, Fd fd);

    Task<Result<std::size_t>> read_some(const Context& ctx, std::span<char> into);
    void close() noexcept;

private:
    Descriptor fd_;
    bool closed_ = false;
};

/// The writing end of a pipe. A reader that is gone is kConnection, never a signal.
class PipeWriter : public std::enable_shared_from_this<PipeWriter> {
public:
    PipeWriter(Executor executor, Fd fd) : fd_(executor, fd.release()) {}

    Task<Result<void>> write(const Context& ctx, std::string_view bytes);
    void close() noexcept;

private:
    void start_wait();

    Descriptor fd_;
    bool waiting_ = false;
    bool closed_ = false;
    Event changed_;
};

/// A child's stdout and stdin as one stream.
class PipeStream final : public Stream {
public:
    PipeStream(Executor executor, Fd from, Fd to);
    ~PipeStream() override { close(); }

    Task<Result<std::size_t>> read_some(const Context& ctx, std::span<char> into) override;
    Task<Result<void>> write(const Context& ctx, std::string_view bytes) override;
    Task<Result<void>> shutdown_write(const Context& ctx) override;
    void close() noexcept override;

private:
    std::shared_ptr<PipeReader> reader_;
    std::shared_ptr<PipeWriter> writer_;
};

}  // namespace gantry::process
