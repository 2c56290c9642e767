#include "gateway/events/bell.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>

namespace gantry::gateway::events {

Bell::Bell() : bell_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

void Bell::ring() noexcept {
    asleep_.store(false, std::memory_order_relaxed);
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto written = ::write(bell_.get(), &one, sizeof one);
}

void Bell::wait(Duration most) noexcept {
    const auto wait = std::max(std::chrono::ceil<milliseconds>(most), milliseconds(0));
    pollfd bell{.fd = bell_.get(), .events = POLLIN, .revents = 0};
    ::poll(&bell, 1, static_cast<int>(wait.count()));
}

void Bell::wake_up() noexcept {
    asleep_.store(false, std::memory_order_seq_cst);
    std::uint64_t rings = 0;
    [[maybe_unused]] const auto drained = ::read(bell_.get(), &rings, sizeof rings);
}

}  // namespace gantry::gateway::events
