#include "surface/cli/output.hpp"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <iostream>
#include <system_error>

#include "surface/cli/exit_code.hpp"

namespace gantry::cli {
namespace {

constexpr std::size_t kBlock = 64u << 10;
constexpr int kBrokenPipe = 128 + SIGPIPE;  // what a shell reports for a program that SIGPIPE ended

}  // namespace

StandardOutput::StandardOutput(int fd) : fd_(fd), by_line_(::isatty(fd) == 1), before_(std::cout.rdbuf(this)) {}

StandardOutput::~StandardOutput() {
    flush_pending();
    std::cout.rdbuf(before_);
}

int StandardOutput::finish(int code) {
    std::cout.flush();
    if (error_ == 0) return code;
    if (error_ == EPIPE) return code == 0 ? kBrokenPipe : code;
    std::cerr << "gantry: cannot write to standard output: " << std::generic_category().message(error_) << std::endl;
    return code == 0 ? static_cast<int>(ExitCode::kOutput) : code;
}

bool StandardOutput::flush_pending() {
    std::string_view rest = pending_;
    while (error_ == 0 && !rest.empty()) {
        const ssize_t written = ::write(fd_, rest.data(), rest.size());
        if (written >= 0) {
            rest.remove_prefix(static_cast<std::size_t>(written));
        } else if (errno == EAGAIN) {
            // Another program may have made the terminal or pipe non-blocking.
            pollfd room{.fd = fd_, .events = POLLOUT, .revents = 0};
            ::poll(&room, 1, -1);
        } else if (errno != EINTR) {
            error_ = errno;
        }
    }
    pending_.clear();
    return error_ == 0;
}

std::streambuf::int_type StandardOutput::overflow(int_type character) {
    if (traits_type::eq_int_type(character, traits_type::eof())) return traits_type::not_eof(character);
    const char one = traits_type::to_char_type(character);
    return xsputn(&one, 1) == 1 ? character : traits_type::eof();
}

std::streamsize StandardOutput::xsputn(const char* text, std::streamsize size) {
    if (error_ != 0) return 0;
    const std::string_view more(text, static_cast<std::size_t>(size));
    pending_ += more;
    const bool due = pending_.size() >= kBlock || (by_line_ && more.contains('\n'));
    return due && !flush_pending() ? 0 : size;
}

int StandardOutput::sync() {
    return flush_pending() ? 0 : -1;
}

bool output_is_open() {
    if (!std::cout) return false;
    pollfd reader{.fd = STDOUT_FILENO, .events = 0, .revents = 0};
    return ::poll(&reader, 1, 0) <= 0 || (reader.revents & (POLLERR | POLLHUP)) == 0;
}

void wait_while_output_is_open(int milliseconds) {
    if (!std::cout) return;
    pollfd reader{.fd = STDOUT_FILENO, .events = 0, .revents = 0};
    ::poll(&reader, 1, milliseconds);
}

}  // namespace gantry::cli
