#include "io/mailbox.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cstdint>
#include <utility>

namespace gantry {

Mailbox::Mailbox() : bell_(Fd::needed(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), "eventfd")) {}

bool Mailbox::post(Function function) {
    {
        const std::lock_guard lock(mutex_);
        if (closed_) return false;
        letters_.push_back(std::move(function));
        if (has_mail_.exchange(true, std::memory_order_release)) return true;  // already signalled
    }
    ring();
    return true;
}

void Mailbox::ring() noexcept {
    // Watched edge-triggered, so it need not be read.
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto written = ::write(bell_.get(), &one, sizeof one);
}

std::vector<Mailbox::Function> Mailbox::take() {
    const std::lock_guard lock(mutex_);
    has_mail_.store(false, std::memory_order_relaxed);
    return std::exchange(letters_, {});
}

void Mailbox::close() {
    std::vector<Function> dropped;
    const std::lock_guard lock(mutex_);
    closed_ = true;
    dropped.swap(letters_);
}

}  // namespace gantry
