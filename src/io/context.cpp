#include "io/context.hpp"

#include <utility>

namespace gantry {

CancelSource::CancelSource() : state_(make_local<detail::CancelState>()) {}

CancelSource::CancelSource(const CancelToken& parent) : CancelSource() {
    if (!parent.can_cancel()) return;
    // The state owns the callback, so it is alive during the call.
    state_->parent.emplace(
        parent, [](void* state) { CancelSource(LocalPtr(static_cast<detail::CancelState*>(state))).cancel(); },
        state_.get());
}

void CancelSource::cancel() const {
    const LocalPtr<detail::CancelState> state = state_;
    if (std::exchange(state->cancelled, true)) return;
    while (CancelCallback* callback = state->first) {
        state->first = callback->next_;
        if (callback->next_) callback->next_->previous_ = nullptr;
        callback->next_ = nullptr;
        callback->state_.reset();
        // The call may destroy the callback itself.
        if (const auto call = callback->call_) {
            call(callback->self_);
        } else {
            const auto function = std::move(callback->function_);
            function();
        }
    }
}

CancelCallback::CancelCallback(const CancelToken& token, std::function<void()> function) {
    if (!token.can_cancel()) return;
    if (token.cancelled()) {
        function();
        return;
    }
    function_ = std::move(function);
    enlist(token);
}

CancelCallback::CancelCallback(const CancelToken& token, void (*function)(void*), void* self)
    : call_(function), self_(self) {
    if (!token.can_cancel()) return;
    if (token.cancelled()) {
        function(self);
        return;
    }
    enlist(token);
}

void CancelCallback::enlist(const CancelToken& token) {
    state_ = token.state_;
    next_ = state_->first;
    if (next_) next_->previous_ = this;
    state_->first = this;
}

CancelCallback::~CancelCallback() {
    if (!state_) return;
    if (next_) next_->previous_ = previous_;
    (previous_ ? previous_->next_ : state_->first) = next_;
}

Result<void> Context::check() const {
    if (cancel_.cancelled()) return fail(ErrorCode::kCancelled, "cancelled");
    if (!deadline_.is_never() && deadline_.passed()) return fail(ErrorCode::kTimeout, "the deadline passed");
    return {};
}

}  // namespace gantry
