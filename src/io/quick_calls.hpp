#pragma once

#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstddef>

// Direct system calls for the few that every relayed message needs. glibc's wrappers are cancellation points, which in
// a process with several threads costs two locked instructions each; none of our threads is ever cancelled. Results and
// errno are the same. Sanitizers intercept glibc's functions, so they get those.

#if defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer) || __has_feature(memory_sanitizer)
#define GANTRY_WATCHED_CALLS 1
#endif
#endif

namespace gantry::quick {

#if defined(GANTRY_WATCHED_CALLS)

inline ssize_t recv(int fd, void* into, std::size_t size, int flags) noexcept {
    return ::recv(fd, into, size, flags);
}
inline ssize_t send(int fd, const void* from, std::size_t size, int flags) noexcept {
    return ::send(fd, from, size, flags);
}
inline ssize_t sendmsg(int fd, const msghdr& message, int flags) noexcept {
    return ::sendmsg(fd, &message, flags);
}
inline ssize_t read(int fd, void* into, std::size_t size) noexcept {
    return ::read(fd, into, size);
}
inline ssize_t write(int fd, const void* from, std::size_t size) noexcept {
    return ::write(fd, from, size);
}
inline int epoll_wait(int epoll, epoll_event* events, int most, int timeout) noexcept {
    return ::epoll_wait(epoll, events, most, timeout);
}

#else

inline ssize_t recv(int fd, void* into, std::size_t size, int flags) noexcept {
    return ::syscall(SYS_recvfrom, fd, into, size, flags, nullptr, nullptr);
}
inline ssize_t send(int fd, const void* from, std::size_t size, int flags) noexcept {
    return ::syscall(SYS_sendto, fd, from, size, flags, nullptr, 0);
}
inline ssize_t sendmsg(int fd, const msghdr& message, int flags) noexcept {
    return ::syscall(SYS_sendmsg, fd, &message, flags);
}
inline ssize_t read(int fd, void* into, std::size_t size) noexcept {
    return ::syscall(SYS_read, fd, into, size);
}
inline ssize_t write(int fd, const void* from, std::size_t size) noexcept {
    return ::syscall(SYS_write, fd, from, size);
}
inline int epoll_wait(int epoll, epoll_event* events, int most, int timeout) noexcept {
    return static_cast<int>(::syscall(SYS_epoll_pwait, epoll, events, most, timeout, nullptr, 8));
}

#endif

}  // namespace gantry::quick
