#pragma once

namespace gantry {

/// An entry of the loop's ready queue, to be run on a later turn: a woken task, a new one, a posted function.
/// Destroying it removes it from the queue.
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

/// Intrusive FIFO. Does not own its entries.
class ReadyQueue {
public:
    ReadyQueue() noexcept { head_.previous_ = head_.next_ = &head_; }
    /// Precondition: empty.
    ~ReadyQueue() { head_.previous_ = head_.next_ = nullptr; }
    ReadyQueue(const ReadyQueue&) = delete;
    ReadyQueue& operator=(const ReadyQueue&) = delete;

    bool empty() const noexcept { return head_.next_ == &head_; }
    /// Whether there are at least `count` entries.
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
    /// Moves all entries of `other` to the end.
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
