#pragma once

#include <utility>

#include "base/clock.hpp"
#include "gantry/error.hpp"

namespace gantry::gateway::events {

/// The recovery policy of the journal's thread: after a failure nothing is written until the next attempt is due.
class StoreHealth {
public:
    bool broken() const noexcept { return broken_; }
    /// When the next attempt is due, while broken().
    TimePoint next_attempt() const noexcept { return next_attempt_; }
    bool may_write(TimePoint now) const noexcept { return !broken_ || now >= next_attempt_; }

    void on_failed(TimePoint now, Duration retry) noexcept {
        broken_ = true;
        next_attempt_ = now + retry;
    }
    /// True: it had failed before.
    bool on_stored() noexcept { return std::exchange(broken_, false); }

    /// A lock is temporary; other errors may require the file to be reopened.
    static bool must_reopen(const Error& error) noexcept { return error.code() != ErrorCode::kTimeout; }

private:
    bool broken_ = false;
    TimePoint next_attempt_{};
};

}  // namespace gantry::gateway::events
