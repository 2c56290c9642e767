#pragma once

namespace gantry {

/// Something that is to run on a later turn of the loop, when it is in its queue: a task that was woken, one that
/// begins, a posted function. Destroying it takes it out of the queue.
class Ready {
public:
    Ready() noexcept = default;
    Ready(const Ready&) = delete;
    Ready& operator=(const Ready&) = delete;

    bool queued() const noexcept { return next_ != nullptr; }
    void unqueue() noexcept {
        if (!queued()) return;
        previous_->next_ = next_;
        next_->previous_ = previous_;
        previous_ = next_ = nullptr;
    }

protected:
    using Run = void (*)(Ready&);
    explicit Ready(Run run) noexcept : run_(run) {}
    ~Ready() { unqueue(); }

private:
    friend class ReadyQueue;
    Run run_ = nullptr;
    Ready* previous_ = nullptr;
    Ready* next_ = nullptr;
};

/// First come, first run. Holds what others own.
class ReadyQueue {
public:
    ReadyQueue() noexcept { head_.previous_ = head_.next_ = &head_; }
    /// Everything is out of it by now.
    ~ReadyQueue() { head_.previous_ = head_.next_ = nullptr; }
    ReadyQueue(const ReadyQueue&) = delete;
    ReadyQueue& operator=(const ReadyQueue&) = delete;

    bool empty() const noexcept { return head_.next_ == &head_; }
    /// At least so many.
    bool has(int count) const noexcept {
        const Ready* at = head_.next_;
        for (; count > 0 && at != &head_; --count) at = at->next_;
        return count == 0;
    }
    void push(Ready& ready) noexcept {
        ready.previous_ = head_.previous_;
        ready.next_ = &head_;
        head_.previous_->next_ = &ready;
        head_.previous_ = &ready;
    }
    /// Takes all of `other` over, behind what is here.
    void append(ReadyQueue& other) noexcept {
        if (other.empty()) return;
        Ready& first = *other.head_.next_;
        Ready& last = *other.head_.previous_;
        other.head_.previous_ = other.head_.next_ = &other.head_;
        first.previous_ = head_.previous_;
        head_.previous_->next_ = &first;
        last.next_ = &head_;
        head_.previous_ = &last;
    }
    void run_first() {
        Ready& first = *head_.next_;
        first.unqueue();
        first.run_(first);
    }

private:
    struct Head final : Ready {};
    Head head_;
};

}  // namespace gantry
