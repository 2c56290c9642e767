#include "io/process/marked_sockets.hpp"

#include <fcntl.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>

#include "io/descriptor.hpp"
#include "io/loop.hpp"
#include "io/root.hpp"

#ifndef SECCOMP_ADDFD_FLAG_SEND
#define SECCOMP_ADDFD_FLAG_SEND (1UL << 1)
#endif

namespace gantry::process {
namespace {

Fd make_marked(const seccomp_data& call) {
    Fd made(::socket(static_cast<int>(call.args[0]), static_cast<int>(call.args[1]) | SOCK_CLOEXEC,
                     static_cast<int>(call.args[2])));
    if (made && ::setsockopt(made.get(), SOL_SOCKET, SO_PRIORITY, &kMarkedPriority, sizeof kMarkedPriority) != 0)
        made.reset();
    return made;
}

}  // namespace

struct MarkedSockets::State {
    State(Loop& loop, Fd fd, std::function<void(std::uint64_t)> told)
        : calls(loop, std::move(fd)), on_made(std::move(told)) {}

    static Root serve(Loop& loop, std::shared_ptr<State> self);
    /// Handles one pending call, if any; polls first, because the kernel would wait for the next.
    bool take() {
        pollfd waiting{.fd = calls.get(), .events = POLLIN, .revents = 0};
        if (::poll(&waiting, 1, 0) != 1 || (waiting.revents & POLLIN) == 0) return false;
        // A newer kernel may write more than our headers define, and requires zeroed memory.
        alignas(seccomp_notif) std::array<char, 1024> room{};
        auto* const call = reinterpret_cast<seccomp_notif*>(room.data());
        // ENOENT: a signal ended the call meanwhile.
        if (::ioctl(calls.get(), SECCOMP_IOCTL_NOTIF_RECV, call) == 0) answer(*call);
        return true;
    }
    void answer(const seccomp_notif& call) {
        const Fd made = make_marked(call.data);
        if (!made) {
            seccomp_notif_resp refusal{.id = call.id, .val = 0, .error = -errno, .flags = 0};
            ::ioctl(calls.get(), SECCOMP_IOCTL_NOTIF_SEND, &refusal);
            return;
        }
        std::uint64_t cookie = 0;
        socklen_t size = sizeof cookie;
        if (::getsockopt(made.get(), SOL_SOCKET, SO_COOKIE, &cookie, &size) == 0 && on_made) on_made(cookie);
        const bool closes = (call.data.args[1] & SOCK_CLOEXEC) != 0;
        seccomp_notif_addfd handed{.id = call.id,
                                   .flags = SECCOMP_ADDFD_FLAG_SEND,
                                   .srcfd = static_cast<__u32>(made.get()),
                                   .newfd = 0,
                                   .newfd_flags = closes ? O_CLOEXEC : 0u};
        ::ioctl(calls.get(), SECCOMP_IOCTL_NOTIF_ADDFD, &handed);
    }

    Descriptor calls;
    std::function<void(std::uint64_t)> on_made;
};

Root MarkedSockets::State::serve(Loop&, std::shared_ptr<State> self) {
    const Context always = Context::background();
    while (self->calls.is_open()) {
        while (self->calls.is_open() && self->take()) {}
        if (self->calls.hung_up()) break;
        self->calls.read_dry();
        if (!co_await self->calls.readable(always)) break;
    }
    self->calls.close();
}

MarkedSockets::MarkedSockets(Loop& loop, Fd calls, std::function<void(std::uint64_t cookie)> on_made)
    : state_(std::make_shared<State>(loop, std::move(calls), std::move(on_made))) {
    State::serve(loop, state_);
}

MarkedSockets::~MarkedSockets() {
    state_->on_made = nullptr;
    state_->calls.close();
}

}  // namespace gantry::process
