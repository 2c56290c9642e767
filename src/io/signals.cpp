#include "io/signals.hpp"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <mutex>
#include <optional>
#include <string>

#include "base/try.hpp"
#include "io/descriptor.hpp"

namespace gantry {
namespace {

/// One waiter: the handler writes the signal's number to its pipe. Pipes are reused, because a
/// handler may still be using a slot whose owner has left.
struct Place {
    std::atomic<std::uint64_t> wanted = 0;  // a bit per signal; 0: the slot is free
    std::atomic<int> to = -1;
    int from = -1;
};

constexpr std::size_t kPlaces = 32;
std::array<Place, kPlaces> places;

constexpr std::uint64_t bit_of(int number) noexcept {
    return 1ull << number;
}

/// Async-signal-safe.
void on_signal(int number) {
    const int saved = errno;
    for (const Place& place : places) {
        if ((place.wanted.load() & bit_of(number)) == 0) continue;
        const auto byte = static_cast<unsigned char>(number);
        [[maybe_unused]] const auto written = ::write(place.to.load(), &byte, 1);
    }
    errno = saved;
}

/// The registered waiters, and the original signal actions. Any thread.
class Handlers {
public:
    /// Null if there are too many waiters or a signal cannot be caught.
    Place* enter(std::span<const int> signals) {
        const std::lock_guard lock(mutex_);
        Place* const place = free_place();
        if (!place) return nullptr;
        std::uint64_t installed = 0;
        for (const int number : signals) {
            if (number <= 0 || number >= 64) return refuse(*place, installed);
            // Before the handler is installed, so that no signal is lost.
            place->wanted |= bit_of(number);
            if ((installed & bit_of(number)) != 0) continue;
            if (!install(number)) return refuse(*place, installed);
            installed |= bit_of(number);
        }
        return place;
    }

    void leave(Place& place) {
        const std::lock_guard lock(mutex_);
        uninstall(place.wanted);
        place.wanted = 0;
        drain(place);
    }

private:
    Place* refuse(Place& place, std::uint64_t installed) {
        uninstall(installed);
        place.wanted = 0;
        return nullptr;
    }

    static void drain(const Place& place) {
        std::array<char, 64> unread;
        while (::read(place.from, unread.data(), unread.size()) > 0) continue;
    }

    static Place* free_place() {
        for (Place& place : places) {
            if (place.wanted != 0) continue;
            if (place.from < 0) {
                std::array<int, 2> ends;
                if (::pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) != 0) return nullptr;
                place.from = ends[0];
                place.to = ends[1];
            }
            drain(place);  // written by a handler while the previous owner was leaving
            return &place;
        }
        return nullptr;
    }

    bool install(int number) {
        const auto index = static_cast<std::size_t>(number);
        if (users_[index] == 0) {
            struct sigaction action{};
            action.sa_handler = on_signal;
            action.sa_flags = SA_RESTART;
            sigfillset(&action.sa_mask);
            if (::sigaction(number, &action, &before_[index]) != 0) return false;
        }
        ++users_[index];
        return true;
    }

    void uninstall(std::uint64_t wanted) {
        for (int number = 1; number < 64; ++number) {
            const auto index = static_cast<std::size_t>(number);
            if ((wanted & bit_of(number)) == 0 || --users_[index] > 0) continue;
            ::sigaction(number, &before_[index], nullptr);
        }
    }

    std::mutex mutex_;
    std::array<int, 64> users_{};
    std::array<struct sigaction, 64> before_{};
};

Handlers& handlers() {
    static Handlers all;
    return all;
}

/// RAII: occupies a slot.
class HandlerSlot {
public:
    explicit HandlerSlot(std::span<const int> signals) : place_(handlers().enter(signals)) {}
    ~HandlerSlot() {
        if (place_) handlers().leave(*place_);
    }
    HandlerSlot(const HandlerSlot&) = delete;
    HandlerSlot& operator=(const HandlerSlot&) = delete;

    explicit operator bool() const noexcept { return place_ != nullptr; }
    int pipe() const noexcept { return place_->from; }

private:
    Place* place_;
};

}  // namespace

class SignalWatch::Impl {
public:
    explicit Impl(std::span<const int> signals) : handlers(signals) {}

    HandlerSlot handlers;
    std::optional<Descriptor> pipe;
};

SignalWatch::SignalWatch(std::unique_ptr<Impl> impl) noexcept : impl_(std::move(impl)) {}
SignalWatch::SignalWatch(SignalWatch&&) noexcept = default;
SignalWatch::~SignalWatch() = default;

Result<SignalWatch> SignalWatch::begin(std::span<const int> signals) {
    auto impl = std::make_unique<Impl>(signals);
    if (!impl->handlers) return fail(ErrorCode::kInternal, "cannot wait for signals");
    // A duplicate, because this one is closed at the end.
    Fd copy(::fcntl(impl->handlers.pipe(), F_DUPFD_CLOEXEC, 3));
    if (!copy) return fail(ErrorCode::kInternal, "cannot wait for signals: no descriptor left");
    impl->pipe.emplace(Loop::current(), std::move(copy));
    return SignalWatch(std::move(impl));
}

Task<Result<int>> SignalWatch::next(const Context& ctx) {
    Descriptor& pipe = *impl_->pipe;
    for (;;) {
        GANTRY_CO_CHECK(ctx.check());
        unsigned char number = 0;
        if (::read(pipe.get(), &number, 1) == 1) co_return Result<int>(number);
        pipe.read_dry();
        GANTRY_CO_CHECK(co_await pipe.readable(ctx));
    }
}

Task<Result<int>> wait_for_signal(const Context& ctx, std::span<const int> signals) {
    GANTRY_CO_CHECK(ctx.check());
    GANTRY_CO_TRY(SignalWatch watch, SignalWatch::begin(signals));
    co_return co_await watch.next(ctx);
}

}  // namespace gantry
