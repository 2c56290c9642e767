#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "io/descriptor.hpp"
#include "io/stream.hpp"
#include "io/sync.hpp"

namespace gantry::process {

/// The reading end of a pipe. Reads only on demand, so a child that writes more than we read is blocked
/// by its pipe (back-pressure). A timed-out read loses nothing: later data is returned by the next one.
class PipeReader : public std::enable_shared_from_this<PipeReader> {
public:
    PipeReader(Loop& loop, Fd fd);

    Task<Result<std::size_t>> read_some(const Context& ctx, std::span<char> into);
    void close() noexcept;

private:
    Descriptor fd_;
    bool is_pipe_;  // and not a terminal or a file, as standard input may be
};

/// The writing end of a pipe. A closed reader is kConnection, never a signal.
class PipeWriter : public std::enable_shared_from_this<PipeWriter> {
public:
    PipeWriter(Loop& loop, Fd fd) : fd_(loop, std::move(fd)) {}

    Task<Result<void>> write(const Context& ctx, std::string_view bytes);
    void close() noexcept;

private:
    Task<Result<void>> room(const Context& ctx);

    Descriptor fd_;
    bool waiting_ = false;  // one task is, on behalf of all
    Event changed_;
};

/// A child's stdout and stdin as one stream.
class PipeStream final : public Stream {
public:
    PipeStream(Loop& loop, Fd from, Fd to);
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
