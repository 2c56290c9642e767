#pragma once

#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "gateway/model/approval.hpp"
#include "gateway/model/resilience.hpp"

namespace gantry::gateway {

/// A source's circuit breaker moved.
struct BreakerChange {
    std::string_view source;
    BreakerState from = BreakerState::kClosed;
    BreakerState to = BreakerState::kClosed;
    /// Failures in a row that led here.
    std::size_t failures = 0;
    /// kOpen: how long before test calls are let through.
    Duration retry_in{};
};

/// Somebody is asked about a call.
struct ApprovalRequested {
    const PendingApproval& approval;
};

/// And this came of it.
struct ApprovalAnswered {
    const PendingApproval& approval;
    bool approved = false;
    AnswerChannel channel = AnswerChannel::kNobody;
    std::string_view who;     // who answered; empty: nobody did
    std::string_view reason;  // in the words of who answered; may be empty
};

/// A tool is described differently from before, or in a way somebody should look at.
struct ToolNoticed {
    std::string_view source;
    std::string_view tool;
    std::string_view what;  // for people
    bool quarantined = false;
};

/// Hears what changes beside calls: for events, metrics and whoever watches. Views are valid during the call only.
/// Never fails, never waits; called on the loop.
class Observer {
public:
    virtual ~Observer() = default;
    virtual void breaker_changed(const BreakerChange& change) noexcept { static_cast<void>(change); }
    virtual void approval_requested(const ApprovalRequested& event) noexcept { static_cast<void>(event); }
    virtual void approval_answered(const ApprovalAnswered& event) noexcept { static_cast<void>(event); }
    virtual void tool_noticed(const ToolNoticed& event) noexcept { static_cast<void>(event); }
};

/// Several as one. What is added must outlive it.
class Observers final : public Observer {
public:
    void add(Observer& observer) { all_.push_back(&observer); }
    void breaker_changed(const BreakerChange& change) noexcept override {
        for (Observer* observer : all_) observer->breaker_changed(change);
    }
    void approval_requested(const ApprovalRequested& event) noexcept override {
        for (Observer* observer : all_) observer->approval_requested(event);
    }
    void approval_answered(const ApprovalAnswered& event) noexcept override {
        for (Observer* observer : all_) observer->approval_answered(event);
    }
    void tool_noticed(const ToolNoticed& event) noexcept override {
        for (Observer* observer : all_) observer->tool_noticed(event);
    }

private:
    std::vector<Observer*> all_;
};

}  // namespace gantry::gateway
