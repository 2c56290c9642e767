#pragma once

#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "gateway/model/approval.hpp"
#include "gateway/model/resilience.hpp"

namespace gantry::gateway {

/// A state transition of a source's circuit breaker.
struct BreakerChange {
    std::string_view source;
    BreakerState from = BreakerState::kClosed;
    BreakerState to = BreakerState::kClosed;
    /// Consecutive failures that led to this transition.
    std::size_t failures = 0;
    /// kOpen: delay before test calls are let through.
    Duration retry_in{};
};

/// An approval question was raised for a call.
struct ApprovalRequested {
    const PendingApproval& approval;
};

/// The approval question was answered or timed out.
struct ApprovalAnswered {
    const PendingApproval& approval;
    bool approved = false;
    AnswerChannel channel = AnswerChannel::kNobody;
    std::string_view who;     // who answered; empty if the question was not answered
    std::string_view reason;  // in the words of the approver; may be empty
};

/// A tool's definition changed, or looks suspicious enough that an operator should review it.
struct ToolDescriptorFlagged {
    std::string_view source;
    std::string_view tool;
    std::string_view what;  // human-readable
    bool quarantined = false;
};

/// Notified of changes other than calls; feeds events, metrics and watchers. Views are valid during the call only.
/// Implementations never fail and never wait; they are called on the loop.
class Observer {
public:
    virtual ~Observer() = default;
    virtual void breaker_changed(const BreakerChange& change) noexcept { static_cast<void>(change); }
    virtual void approval_requested(const ApprovalRequested& event) noexcept { static_cast<void>(event); }
    virtual void approval_answered(const ApprovalAnswered& event) noexcept { static_cast<void>(event); }
    virtual void tool_descriptor_flagged(const ToolDescriptorFlagged& event) noexcept { static_cast<void>(event); }
};

/// Fans out to several observers. Every added observer must outlive this one.
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
    void tool_descriptor_flagged(const ToolDescriptorFlagged& event) noexcept override {
        for (Observer* observer : all_) observer->tool_descriptor_flagged(event);
    }

private:
    std::vector<Observer*> all_;
};

}  // namespace gantry::gateway
