#include "io/waiter.hpp"

#include <boost/asio/post.hpp>
#include <utility>

#include "io/loop_impl.hpp"

namespace gantry {

Waiter::~Waiter() {
    unlink();
}

void Waiter::watch(const Context& ctx, Deadline deadline) {
    alarm_.arm(loop_, deadline, [](void* self) { static_cast<Waiter*>(self)->wake(Wake::kTimeout); }, this);
    if (!ctx.cancel().can_cancel()) return;
    on_cancel_.emplace(ctx.cancel(), [](void* self) { static_cast<Waiter*>(self)->wake(Wake::kCancelled); }, this);
}

void Waiter::wake(Wake why) noexcept {
    if (why_ != Wake::kNone) return;
    why_ = why;
    alarm_.disarm();
    if (linked_) resume_later();
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

void Waiter::suspend(std::move_only_function<void()> resume) {
    resume_ = std::move(resume);
    link();
    if (why_ != Wake::kNone) resume_later();
}

void Waiter::resume_later() {
    // While the loop is closing its own list owns the task; nothing resumes any more.
    if (loop_.closing()) return;
    unlink();
    boost::asio::post(loop_.executor(), std::exchange(resume_, nullptr));
}

void Waiter::drop() noexcept {
    unlink();
    const auto dropped = std::exchange(resume_, nullptr);
}

void Waiter::link() noexcept {
    Waiter*& first = loop_.impl_->parked;
    next_ = first;
    previous_ = nullptr;
    if (first) first->previous_ = this;
    first = this;
    linked_ = true;
}

void Waiter::unlink() noexcept {
    if (!linked_) return;
    linked_ = false;
    if (next_) next_->previous_ = previous_;
    (previous_ ? previous_->next_ : loop_.impl_->parked) = next_;
}

}  // namespace gantry
