#include <cassert>

#include "base/try.hpp"
#include "io/sync.hpp"
#include "io/waiter.hpp"

namespace gantry {

struct Event::Entry {
    Event* event;
    Entry* previous = nullptr;
    Entry* next = nullptr;
    Waiter waiter;

    explicit Entry(Event& owner) : event(&owner), previous(owner.last_) {
        (previous ? previous->next : owner.first_) = this;
        owner.last_ = this;
    }
    ~Entry() { leave(); }
    Entry(const Entry&) = delete;
    Entry& operator=(const Entry&) = delete;

    void leave() noexcept {
        if (!event) return;
        (previous ? previous->next : event->first_) = next;
        (next ? next->previous : event->last_) = previous;
        event = nullptr;
    }
};

Event::~Event() {
    while (first_) {
        assert(first_->waiter.loop().closing() && "an event was destroyed while a task waits for it");
        first_->leave();
    }
}

void Event::pulse() noexcept {
    while (Entry* entry = first_) {
        entry->leave();
        entry->waiter.wake(Wake::kReady);
    }
}

void Event::set() noexcept {
    set_ = true;
    pulse();
}

Task<Result<void>> Event::wait(const Context& ctx) {
    if (set_) co_return Result<void>();
    GANTRY_CO_CHECK(ctx.check());
    Entry entry(*this);
    entry.waiter.watch(ctx);
    co_await entry.waiter.park();
    co_return entry.waiter.result();
}

}  // namespace gantry
