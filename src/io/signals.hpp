#pragma once

#include <memory>
#include <span>

#include "io/context.hpp"
#include "io/task.hpp"

namespace gantry {

/// While it lives, `signals` are delivered to the waiting task instead of having their usual effect; none is lost.
class SignalWatch {
public:
    /// kInternal if there are too many watches, or a signal cannot be caught.
    static Result<SignalWatch> begin(std::span<const int> signals);
    SignalWatch(SignalWatch&&) noexcept;
    SignalWatch& operator=(SignalWatch&&) = delete;
    ~SignalWatch();

    /// The next signal, or the context's error. One call at a time.
    Task<Result<int>> next(const Context& ctx);

private:
    class Impl;
    explicit SignalWatch(std::unique_ptr<Impl> impl) noexcept;
    std::unique_ptr<Impl> impl_;
};

/// Waits for one of `signals` and returns which one came, or fails with the context's error. Until then they do not
/// have their usual effect; afterwards they do again, so that a second Ctrl-C ends a hanging process.
Task<Result<int>> wait_for_signal(const Context& ctx, std::span<const int> signals);

}  // namespace gantry
