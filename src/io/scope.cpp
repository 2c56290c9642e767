#include "io/scope.hpp"

#include <cassert>
#include <utility>

#include "io/loop.hpp"
#include "io/root.hpp"
#include "io/sync.hpp"

namespace gantry {

struct Scope::State {
    explicit State(const Context& parent) : source(parent.cancel()) {}

    CancelSource source;
    Loop* loop = nullptr;
    std::size_t running = 0;
    Event idle;
};

Scope::Scope(const Context& parent)
    : state_(std::make_shared<State>(parent)), context_(parent.stopped_by(state_->source)) {}

Scope::~Scope() {
    assert((state_->running == 0 || state_->loop->closing()) && "a scope was left before join()");
}

/// An exception that escapes the child terminates the process here: see Root.
Root Scope::own(Loop&, std::shared_ptr<State> state, Task<void> child) {
    co_await std::move(child);
    if (--state->running == 0) state->idle.pulse();
}

void Scope::spawn(Task<void> child) {
    Loop& loop = Loop::current();
    state_->loop = &loop;
    ++state_->running;
    own(loop, state_, std::move(child));
}

const Context& Scope::context() const noexcept {
    return context_;
}

void Scope::cancel() {
    state_->source.cancel();
}

std::size_t Scope::running() const noexcept {
    return state_->running;
}

Task<void> Scope::join() {
    const std::shared_ptr<State> state = state_;
    while (state->running > 0) {
        // A background context: only the end of the last child wakes this wait, so it cannot fail.
        if (auto waited = co_await state->idle.wait(Context::background()); !waited) break;
    }
}

}  // namespace gantry
