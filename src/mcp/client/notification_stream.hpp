#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>

#include "io/scope.hpp"
#include "io/sync.hpp"
#include "mcp/client/session.hpp"

namespace gantry::mcp {

/// Keeps one modern `subscriptions/listen` open on a session; reopens it with back-off when it breaks.
///
/// With a new filter, the new stream is opened before the old one is closed, so nothing is missed. After a
/// broken stream changes may have been missed: `on_gap` is called once the new one is established.
class NotificationStream {
public:
    using OnNotification = std::function<void(const NotificationMessage&)>;

    NotificationStream(std::shared_ptr<Session> session, OnNotification on_notification, std::function<void()> on_gap);
    ~NotificationStream();

    /// Waits for the server's acknowledgement; returns the honoured part of the filter.
    Task<Result<SubscriptionFilter>> listen(const Context& ctx, SubscriptionFilter filter);
    /// Required before destruction.
    Task<void> stop();
    const std::shared_ptr<Session>& session() const noexcept { return session_; }

private:
    struct Stream;
    Task<void> run(std::shared_ptr<Stream> stream);
    void start(std::shared_ptr<Stream> stream);

    std::shared_ptr<Session> session_;
    OnNotification on_notification_;
    std::function<void()> on_gap_;
    std::shared_ptr<Stream> current_;
    Scope scope_;
};

}  // namespace gantry::mcp
