#include "io/waiter.hpp"

#include "io/loop_impl.hpp"

namespace gantry {

void Waiter::watch(const Context& ctx, Deadline deadline) {
    alarm_.arm(loop_, deadline, [](void* self) { static_cast<Waiter*>(self)->wake(Wake::kTimeout); }, this);
    if (!ctx.cancel().can_cancel()) return;
    on_cancel_.emplace(ctx.cancel(), [](void* self) { static_cast<Waiter*>(self)->wake(Wake::kCancelled); }, this);
}

void Waiter::wake(Wake why) noexcept {
    if (why_ != Wake::kNone) return;
    why_ = why;
    alarm_.disarm();
    // A closing loop destroys the tasks itself; nothing resumes any more.
    if (parked_ && !loop_.closing()) loop_.impl().ready.push(*this);
}

Result<void> Waiter::result() const {
    switch (why_) {
        case Wake::kTimeout: return fail(ErrorCode::kTimeout, "the deadline passed");
        case Wake::kCancelled: return fail(ErrorCode::kCancelled, "cancelled");
        case Wake::kNone:
        case Wake::kReady: break;
    }
    return {};
}

void Waiter::resume(Ready& self) {
    static_cast<Waiter&>(self).parked_.resume();
}

}  // namespace gantry
