#pragma once

#include <streambuf>
#include <string>

namespace gantry::cli {

/// Standard output of one command. Replaces std::cout's buffer during its lifetime and remembers the first failed
/// write, so that a command cannot report success for output that was lost.
///
/// Block-buffered, line-buffered on a terminal. Not thread-safe: commands print from one thread.
class StandardOutput final : public std::streambuf {
public:
    /// Writes to `fd`, which remains owned by the caller.
    explicit StandardOutput(int fd);
    ~StandardOutput() override;
    StandardOutput(const StandardOutput&) = delete;
    StandardOutput& operator=(const StandardOutput&) = delete;

    /// Flushes and returns the command's exit code: `code` when all output was written. A closed pipe gives what
    /// SIGPIPE would have (141, silently); any other failure is printed to standard error.
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

/// Whether output still has a reader: false once a write failed or the other end of the pipe was closed. For commands
/// that wait for something to print.
bool output_is_open();
/// Waits for `milliseconds`, or until output_is_open() becomes false.
void wait_while_output_is_open(int milliseconds);

}  // namespace gantry::cli
