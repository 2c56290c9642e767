#pragma once

#include <string_view>

#include "gantry/json.hpp"

namespace gantry::gateway {

/// Kinds of events besides the outcome of a call. The number at the end grows when members lose their meaning; new
/// members may come at any time.
namespace event_type {
inline constexpr std::string_view kToolCalled = "gantry.tool.called.v1";
inline constexpr std::string_view kToolFailed = "gantry.tool.failed.v1";
inline constexpr std::string_view kCallCompleted = "gantry.call.completed.v1";  // prompts, resources, tasks …
inline constexpr std::string_view kCallFailed = "gantry.call.failed.v1";
inline constexpr std::string_view kAuthenticationFailed = "gantry.authentication.failed.v1";
inline constexpr std::string_view kSourceState = "gantry.source.health_changed.v1";
inline constexpr std::string_view kSourceInventory = "gantry.source.inventory_ingested.v1";
inline constexpr std::string_view kCatalogChanged = "gantry.catalog.changed.v1";
inline constexpr std::string_view kCatalogTruncated = "gantry.catalog.truncated.v1";  // of one server, or whole again
inline constexpr std::string_view kBreakerOpened = "gantry.circuit_breaker.opened.v1";
inline constexpr std::string_view kBreakerHalfOpened = "gantry.circuit_breaker.half_opened.v1";
inline constexpr std::string_view kBreakerClosed = "gantry.circuit_breaker.closed.v1";
inline constexpr std::string_view kApprovalRequested = "gantry.approval.requested.v1";
inline constexpr std::string_view kApprovalAnswered = "gantry.approval.answered.v1";
inline constexpr std::string_view kToolNoticed = "gantry.tool.noticed.v1";  // changed, or described oddly
inline constexpr std::string_view kConfigurationApplied = "gantry.configuration.applied.v1";
inline constexpr std::string_view kConfigurationRefused = "gantry.configuration.refused.v1";
inline constexpr std::string_view kStarted = "gantry.started.v1";
inline constexpr std::string_view kStopped = "gantry.stopped.v1";
inline constexpr std::string_view kChainBroken = "gantry.audit.chain_broken.v1";
inline constexpr std::string_view kRecordsLost = "gantry.records.lost.v1";
}  // namespace event_type

/// Something happened that is no call. Views are valid during publish() only.
struct GatewayEvent {
    std::string_view type;     // one of event_type
    std::string_view subject;  // what it is about: a source's name, a tool's
    /// The call it belongs to; empty: none.
    std::string_view correlation_id = {};
    /// Never argument values, header values or secrets.
    JsonObject data = {};
};

/// Where events go. Everybody may publish on the loop.
class EventSink {
public:
    virtual ~EventSink() = default;
    /// False: nobody would hear it, so that it need not be made.
    virtual bool listening() const noexcept = 0;
    /// Never fails, never waits.
    virtual void publish(const GatewayEvent& event) noexcept = 0;
};

/// For who has nobody to tell.
class NoEvents final : public EventSink {
public:
    bool listening() const noexcept override { return false; }
    void publish(const GatewayEvent&) noexcept override {}
};

}  // namespace gantry::gateway
