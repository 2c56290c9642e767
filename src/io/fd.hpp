#pragma once

#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace gantry {

/// Owns one file descriptor.
class Fd {
public:
    Fd() noexcept = default;
    explicit Fd(int fd) noexcept : fd_(fd) {}
    /// `fd` as returned by a system call. Throws if it is invalid: without a descriptor for `what` the process cannot
    /// run a loop.
    static Fd needed(int fd, const char* what) {
        if (fd < 0) throw std::system_error(errno, std::generic_category(), what);
        return Fd(fd);
    }
    Fd(Fd&& other) noexcept : fd_(other.release()) {}
    Fd& operator=(Fd&& other) noexcept {
        if (this != &other) reset(other.release());
        return *this;
    }
    ~Fd() { reset(); }

    int get() const noexcept { return fd_; }
    explicit operator bool() const noexcept { return fd_ >= 0; }
    int release() noexcept { return std::exchange(fd_, -1); }
    void reset(int fd = -1) noexcept {
        if (fd_ >= 0) ::close(fd_);
        fd_ = fd;
    }

private:
    int fd_ = -1;
};

}  // namespace gantry
