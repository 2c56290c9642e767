#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "gateway/ports/recorder.hpp"

namespace gantry::app {

/// Counts calls and, when asked to, tells each in one line: no arguments, no results, only who, what, how long and how
/// it ended.
class CallLog final : public gateway::Recorder {
public:
    using Line = std::function<void(std::string_view)>;
    explicit CallLog(Line line = {}) : line_(std::move(line)) {}

    void record(const gateway::Outcome& outcome) noexcept override;

    std::uint64_t calls() const noexcept { return calls_; }
    std::uint64_t failures() const noexcept { return failures_; }

private:
    Line line_;
    std::uint64_t calls_ = 0;
    std::uint64_t failures_ = 0;
};

}  // namespace gantry::app
