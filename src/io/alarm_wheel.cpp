#include "io/alarm_wheel.hpp"

#include <algorithm>

namespace gantry {

AlarmWheel::AlarmWheel() {
    for (Alarm& head : slots_) head.previous_ = head.next_ = &head;
    due_.previous_ = due_.next_ = &due_;
}

AlarmWheel::~AlarmWheel() {
    for (Alarm& head : slots_) release(head);
    release(due_);
}

void AlarmWheel::release(Alarm& head) noexcept {
    while (head.next_ != &head) remove(*head.next_);
}

AlarmWheel::Tick AlarmWheel::tick_of(Deadline deadline) noexcept {
    const Duration at = deadline.at().time_since_epoch();
    const Tick floor = at / Loop::kSweep;
    return at % Loop::kSweep > Duration::zero() ? floor + 1 : floor;
}

void AlarmWheel::link(Alarm& head, Alarm& alarm) noexcept {
    alarm.previous_ = head.previous_;
    alarm.next_ = &head;
    head.previous_->next_ = &alarm;
    head.previous_ = &alarm;
}

void AlarmWheel::unlink(Alarm& alarm) noexcept {
    alarm.previous_->next_ = alarm.next_;
    alarm.next_->previous_ = alarm.previous_;
    alarm.previous_ = alarm.next_ = nullptr;
}

void AlarmWheel::insert(Alarm& alarm, Tick due, void (*fire)(void*), void* self) noexcept {
    alarm.wheel_ = this;
    alarm.tick_ = std::max(due, last_ + 1);
    alarm.fire_ = fire;
    alarm.self_ = self;
    link(slot(alarm.tick_), alarm);
    ++size_;
}

void AlarmWheel::remove(Alarm& alarm) noexcept {
    unlink(alarm);
    alarm.wheel_ = nullptr;
    --size_;
}

void AlarmWheel::advance(Tick now) {
    if (now <= last_) return;
    const Tick first = std::max(last_ + 1, now - static_cast<Tick>(kSlots) + 1);
    for (Tick tick = first; tick <= now; ++tick) {
        Alarm& head = slot(tick);
        for (Alarm* alarm = head.next_; alarm != &head;) {
            Alarm* const following = alarm->next_;
            if (alarm->tick_ <= now) {
                unlink(*alarm);
                link(due_, *alarm);
            }
            alarm = following;
        }
    }
    last_ = now;
    while (due_.next_ != &due_) {
        Alarm& alarm = *due_.next_;
        const auto fire = alarm.fire_;
        void* const self = alarm.self_;
        remove(alarm);
        fire(self);
    }
}

AlarmWheel::Tick AlarmWheel::next(Tick horizon) const noexcept {
    for (Tick tick = last_ + 1; tick < last_ + horizon; ++tick) {
        const Alarm& head = slot(tick);
        for (const Alarm* alarm = head.next_; alarm != &head; alarm = alarm->next_) {
            if (alarm->tick_ == tick) return tick;
        }
    }
    return last_ + horizon;
}

}  // namespace gantry
