#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "base/clock.hpp"

namespace gantry::app {

/// Rate limiter for notes that callers can trigger at will: at most one per `pause`; the next one says how many were
/// suppressed.
class RateLimitedNote {
public:
    RateLimitedNote(std::function<void(std::string_view)> note, Duration pause)
        : note_(std::move(note)), pause_(pause) {}

    void operator()(std::string text, TimePoint now = SteadyClock::now()) {
        if (told_ && now - last_ < pause_) {
            ++left_out_;
            return;
        }
        if (left_out_ > 0) text += " (" + std::to_string(left_out_) + " more like this since the last report)";
        told_ = true;
        last_ = now;
        left_out_ = 0;
        note_(text);
    }

private:
    std::function<void(std::string_view)> note_;
    Duration pause_;
    TimePoint last_ = {};
    std::size_t left_out_ = 0;
    bool told_ = false;
};

}  // namespace gantry::app
