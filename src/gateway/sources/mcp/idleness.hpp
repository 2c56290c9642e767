#pragma once

#include <cstddef>

#include "base/clock.hpp"
#include "gateway/model/source_spec.hpp"

namespace gantry::gateway {

/// Whether a lazy server has been unused for long enough to be disconnected.
class Idleness {
public:
    explicit Idleness(const McpServerSpec& spec) noexcept
        : lazy_(spec.connect == Connect::kLazy), limit_(spec.idle_close) {}

    /// Keeps the server from idling out during a call, also before the call has a connection.
    class InUse {
    public:
        explicit InUse(Idleness& idleness) noexcept : idleness_(idleness) { ++idleness_.calls_; }
        InUse(const InUse&) = delete;
        InUse& operator=(const InUse&) = delete;
        ~InUse() {
            --idleness_.calls_;
            idleness_.at_once_ = false;
            if (idleness_.lazy_) idleness_.used_ = coarse_now();  // recorded only where it matters
        }

    private:
        Idleness& idleness_;
    };

    /// The server is connected: counts as a use.
    void begin(TimePoint now) noexcept {
        used_ = now;
        at_once_ = false;
    }
    /// It may idle before its timeout, unless it is used again.
    void may_idle_at_once() noexcept { at_once_ = true; }

    bool lazy() const noexcept { return lazy_; }
    bool in_use() const noexcept { return calls_ > 0; }
    Deadline timeout() const noexcept { return Deadline::after(limit_, used_); }
    /// An unused server may idle now.
    bool over() const noexcept { return at_once_ || timeout().passed(); }

private:
    const bool lazy_;
    const Duration limit_;
    TimePoint used_ = {};
    bool at_once_ = false;
    std::size_t calls_ = 0;
};

}  // namespace gantry::gateway
