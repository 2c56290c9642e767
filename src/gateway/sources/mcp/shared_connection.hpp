#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "gateway/sources/mcp/link.hpp"
#include "gateway/sources/mcp/source_status.hpp"
#include "io/scope.hpp"

namespace gantry::gateway {

/// The life of the connection that a source lists over and shares among calls: opened with retries, supervised, probed
/// when a call could not reach the server, and closed while a lazy server is unused. The client below it reconnects by
/// itself; this class says what that means for the source.
class SharedConnection {
public:
    struct Hooks {
        /// Connected, for the first time or again: the server may be another version.
        std::function<void()> connected;
        /// Lost, and not back after the grace period.
        std::function<void()> given_up;
    };
    /// All references must outlive it; its tasks run in `scope`.
    SharedConnection(const McpServerSpec& spec, const McpSourceOptions& options, SourceStatus& status, Scope& scope,
                     Hooks hooks);

    /// Null until the first client was made. A copy counts as a lease, see leased().
    const LinkPtr& link() const noexcept { return link_; }
    /// Usable at once.
    bool connected() const noexcept {
        return !status_.stopping() && !closing_ && link_ && link_->client().state() == mcp::ConnectionState::kConnected;
    }
    /// The client is connected; also while the connection is being closed.
    bool is_up() const noexcept { return link_->client().state() == mcp::ConnectionState::kConnected; }
    std::optional<TimePoint> connected_since() const noexcept {
        return connected() ? std::optional(connected_at_) : std::nullopt;
    }
    /// A caller holds a lease on it.
    bool leased() const noexcept { return link_.use_count() > 1; }
    /// Number of failed attempts to connect.
    std::uint64_t failures() const noexcept { return failures_; }

    /// Takes the client of the next connection.
    void use(std::unique_ptr<mcp::Client> client) { link_ = std::make_shared<Link>(std::move(client)); }
    /// Connects, with back-off until it succeeds, and supervises the connection from then on. False: the source stops.
    Task<bool> open();
    /// Closes it until a call needs the server. False: the source stops.
    Task<bool> close_until_needed();
    Task<bool> wait_until_needed();
    /// A call needs the server.
    void wake();
    /// Skips the back-off before the next attempt.
    void retry_now();
    /// A call could not reach the server: probes whether it is gone. Over HTTP nothing else would notice, because no
    /// connection stays open between calls.
    void suspect();

private:
    void on_client_state(mcp::ConnectionState state);
    Task<void> wait_out(std::uint64_t outage);
    Task<void> probe();
    std::string no_connection(const Error& why) const;

    const McpServerSpec& spec_;
    const McpSourceOptions& options_;
    SourceStatus& status_;
    Scope& scope_;
    Hooks hooks_;
    LinkPtr link_;
    TimePoint connected_at_ = {};
    std::uint64_t failures_ = 0;
    std::uint64_t outages_ = 0;  // number of the current outage
    bool probing_ = false;
    bool closing_ = false;  // still looks usable
    Event hurry_;           // ends the back-off
};

}  // namespace gantry::gateway
