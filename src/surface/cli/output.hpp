#pragma once

#include <streambuf>
#include <string>

namespace gantry::cli {

/// Standard output of one command. Takes the place of std::cout's buffer while it lives and remembers the first write
/// that failed, so that a command cannot report success for output that never arrived.
///
/// Buffered in blocks, by line on a terminal. Not thread-safe: commands print from one thread.
class StandardOutput final : public std::streambuf {
public:
    /// Writes to `fd`, which stays the caller's.
    explicit StandardOutput(int fd);
    ~StandardOutput() override;
    StandardOutput(const StandardOutput&) = delete;
    StandardOutput& operator=(const StandardOutput&) = delete;

    /// Flushes, and gives the exit code of the command: `code` when all output arrived. A reader that closed its end
    /// of the pipe is what SIGPIPE would have reported (141, silently); any other failure is printed to standard error.
    int finish(int code);

private:
    int_type overflow(int_type character) override;
    std::streamsize xsputn(const char* text, std::streamsize size) override;
    int sync() override;
    bool flush_pending();

    int fd_;
    bool by_line_;
    int error_ = 0;  // errno of the first write that failed
    std::string pending_;
    std::streambuf* before_;
};

/// Whether output still has a reader: false once a write failed, or when the other end of the pipe was closed. For
/// commands that wait for something to print.
bool output_is_open();
/// Waits for `milliseconds`, or until output_is_open() turns false.
void wait_while_output_is_open(int milliseconds);

}  // namespace gantry::cli
