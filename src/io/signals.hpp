#pragma once

#include <memory>
#include <span>

#include "io/context.hpp"
#include "io/task.hpp"

namespace gantry {

/// While it lives, `signals` do not have their usual effect but are told to whoever waits; none is lost in between.
class SignalWatch {
public:
    /// kInternal when too many watch, or a signal cannot be caught.
    static Result<SignalWatch> begin(std::span<const int> signals);
    SignalWatch(SignalWatch&&) noexcept;
    SignalWatch& operator=(SignalWatch&&) = delete;
    ~SignalWatch();

    /// The next one that comes, or the context's error. One at a time.
    Task<Result<int>> next(const Context& ctx);

private:
    class Impl;
    explicit SignalWatch(std::unique_ptr<Impl> impl) noexcept;
    std::unique_ptr<Impl> impl_;
};

/// Waits for one of `signals` and says which came, or ends with the context's error. Until then they do not have their
/// usual effect; afterwards they have it again, so that a second Ctrl-C ends a process that hangs.
Task<Result<int>> wait_for_signal(const Context& ctx, std::span<const int> signals);

}  // namespace gantry
