#pragma once

#include <string_view>

#include "gantry/json.hpp"

namespace gantry::gateway {

/// Types of events. The version suffix grows when existing members become incompatible; new members may be added at any
/// time.
namespace event_type {
inline constexpr std::string_view kToolCalled = "gantry.tool.called.v1";
inline constexpr std::string_view kToolFailed = "gantry.tool.failed.v1";
inline constexpr std::string_view kCallCompleted = "gantry.call.completed.v1";  // prompts, resources, tasks …
inline constexpr std::string_view kCallFailed = "gantry.call.failed.v1";
inline constexpr std::string_view kAuthenticationFailed = "gantry.authentication.failed.v1";
inline constexpr std::string_view kSourceState = "gantry.source.health_changed.v1";
inline constexpr std::string_view kSourceInventory = "gantry.source.inventory_ingested.v1";
inline constexpr std::string_view kCatalogChanged = "gantry.catalog.changed.v1";
inline constexpr std::string_view kCatalogTruncated = "gantry.catalog.truncated.v1";  // also when complete again
inline constexpr std::string_view kBreakerOpened = "gantry.circuit_breaker.opened.v1";
inline constexpr std::string_view kBreakerHalfOpened = "gantry.circuit_breaker.half_opened.v1";
inline constexpr std::string_view kBreakerClosed = "gantry.circuit_breaker.closed.v1";
inline constexpr std::string_view kApprovalRequested = "gantry.approval.requested.v1";
inline constexpr std::string_view kApprovalAnswered = "gantry.approval.answered.v1";
inline constexpr std::string_view kToolDescriptorFlagged = "gantry.tool.noticed.v1";  // changed or suspicious
inline constexpr std::string_view kConfigurationApplied = "gantry.configuration.applied.v1";
inline constexpr std::string_view kConfigurationRefused = "gantry.configuration.refused.v1";
inline constexpr std::string_view kStarted = "gantry.started.v1";
inline constexpr std::string_view kStopped = "gantry.stopped.v1";
inline constexpr std::string_view kChainBroken = "gantry.audit.chain_broken.v1";
inline constexpr std::string_view kRecordsLost = "gantry.records.lost.v1";
}  // namespace event_type

/// An event that is not a call. Views are valid during publish() only.
struct GatewayEvent {
    std::string_view type;     // one of event_type
    std::string_view subject;  // what it is about: the name of a source or tool
    /// Correlation id of the call it belongs to; empty when there is none.
    std::string_view correlation_id = {};
    /// Never argument values, header values or secrets.
    JsonObject data = {};
};

/// Receives events. Any component on the loop may publish.
class EventSink {
public:
    virtual ~EventSink() = default;
    /// False when there is no consumer, so that callers can skip building the event.
    virtual bool listening() const noexcept = 0;
    /// Never fails and never waits.
    virtual void publish(const GatewayEvent& event) noexcept = 0;
};

/// Null sink: discards every event.
class NoEvents final : public EventSink {
public:
    bool listening() const noexcept override { return false; }
    void publish(const GatewayEvent&) noexcept override {}
};

}  // namespace gantry::gateway
