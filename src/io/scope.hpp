#pragma once

#include <memory>

#include "io/context.hpp"
#include "io/task.hpp"

namespace gantry {

class Loop;
class Root;

/// Owns child tasks. Nothing in Gantry runs detached: the code that starts work awaits its end here.
///
///     Scope scope(ctx);
///     scope.spawn(pump(scope.context(), stream));   // starts on the next turn of the loop
///     …
///     scope.cancel();
///     co_await scope.join();                        // required before destruction
///
/// An exception that escapes a child terminates the process: expected failures are values.
class Scope {
public:
    /// Children inherit `parent`'s deadline and cancellation.
    explicit Scope(const Context& parent);
    /// Asserts that join() has returned and no child is left.
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

    void spawn(Task<void> child);
    const Context& context() const noexcept;
    void cancel();
    std::size_t running() const noexcept;

    /// Waits for every child, including those spawned meanwhile. Ignores cancellation: children
    /// are notified by cancel() and are expected to end promptly.
    Task<void> join();

private:
    struct State;
    static Root own(Loop& loop, std::shared_ptr<State> state, Task<void> child);

    std::shared_ptr<State> state_;
    Context context_;
};

}  // namespace gantry
