#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>

#include "gateway/model/source_spec.hpp"
#include "gateway/ports/source.hpp"
#include "gateway/sources/mcp/audience_lists.hpp"
#include "gateway/sources/mcp/call_runner.hpp"
#include "gateway/sources/mcp/connection_sharing.hpp"
#include "gateway/sources/mcp/credentials.hpp"
#include "gateway/sources/mcp/following.hpp"
#include "gateway/sources/mcp/idleness.hpp"
#include "gateway/sources/mcp/lanes.hpp"
#include "gateway/sources/mcp/legacy_tasks.hpp"
#include "gateway/sources/mcp/modern_tasks.hpp"
#include "gateway/sources/mcp/options.hpp"
#include "gateway/sources/mcp/parked_calls.hpp"
#include "gateway/sources/mcp/placement.hpp"
#include "gateway/sources/mcp/shared_connection.hpp"
#include "gateway/sources/mcp/source_lists.hpp"
#include "gateway/sources/mcp/source_status.hpp"
#include "gateway/sources/mcp/upstream.hpp"
#include "io/scope.hpp"

namespace gantry::gateway {

/// One MCP server of either era as a source.
///
/// A shared connection lists what the server offers and serves all calls it may serve; other calls get connections of
/// their own (see Sharing). The source reconnects without limit: while a server is down only its own items are missing,
/// and it recovers by itself. A lazy server is disconnected while unused, and its last known items stay listed until it
/// is called again.
///
/// Each part has one job; this class owns them, connects them with each other, and runs the loop of connecting, reading
/// lists and idling.
class McpSource final : public Source, public std::enable_shared_from_this<McpSource> {
public:
    McpSource(Loop& loop, McpServerSpec spec, McpSourceOptions options = {});
    ~McpSource() override;

    const std::string& name() const noexcept override { return spec_.name; }
    SourceState state() const noexcept override { return status_.state(); }
    bool connected() const noexcept override { return connection_.connected(); }
    SourceHealth health() const noexcept override { return status_.health(); }
    std::optional<TimePoint> connected_since() const noexcept override { return connection_.connected_since(); }
    std::string trouble() const override { return status_.trouble(); }

    void start() override;
    Task<void> stop() override;
    bool busy() const noexcept override;
    void retry_now() override;
    Task<Result<void>> refresh(const Context& ctx) override;

    InventoryPtr inventory() const override { return lists_.inventory(); }
    InventoryPtr inventory_for(const Audience& audience) override { return audiences_.find(audience); }
    bool varies() const noexcept override { return audiences_.varies(); }
    bool is_surveyed(const Audience& audience) override { return audiences_.is_surveyed(audience); }
    Task<void> survey(const Context& ctx, const Audience& audience) override {
        return audiences_.survey(ctx, audience);
    }
    Task<Result<Output>> execute(const Context& ctx, const AdmittedCall& call, ReplyLine& line) override;
    Task<std::set<std::string>> follow(const Context& ctx, std::set<std::string> uris) override {
        return following_.follow(ctx, std::move(uris));
    }
    Task<std::set<std::string>> follow_tasks(const Context& ctx, std::set<std::string> ids) override {
        return following_.follow_tasks(ctx, std::move(ids));
    }
    void roots_changed(const Principal& principal, const ClientTraits& client) override;
    void client_gone(const std::string& session) override;
    void watch(std::function<void(const SourceChange&)> tell) override { status_.watch(std::move(tell)); }

    /// For subsequent calls; needs no new connection.
    void set_retry(const RetryOptions& retry) noexcept { spec_.limits.retry = retry; }

    /// Entries of the server's lists that were unusable at the last listing, as readable text.
    const std::vector<std::string>& problems() const noexcept { return lists_.problems(); }
    /// Connections besides the shared one; for tests and diagnostics.
    std::size_t lanes() const noexcept { return lanes_->open(); }
    std::size_t parked() const noexcept { return parked_.size(); }

private:
    Task<void> run();
    Result<std::unique_ptr<mcp::Client>> make_shared_client();
    Result<std::unique_ptr<mcp::Client>> make_lane_client(const mcp::ClientCapabilities& declare,
                                                          std::function<void(Kinds)> announced);
    std::shared_ptr<Lanes> make_lanes();
    /// Reads lists whenever they are stale; returns true when the server may idle, false when the source stops.
    Task<bool> stay_up();
    bool unused() const noexcept;
    Task<void> list_again();
    void publish(InventoryPtr inventory);
    /// Waits until calls can be made, waking the server if need be.
    Task<Result<void>> ready(const Context& ctx);
    void on_connected();
    void on_lane_lists(const LaneKey& key, Kinds announced);

    McpServerSpec spec_;
    McpSourceOptions options_;
    Scope scope_;
    SourceStatus status_;
    Idleness idleness_;
    Upstream upstream_;
    SharedConnection connection_;
    SourceLists lists_;
    ConnectionSharing sharing_;
    std::shared_ptr<Lanes> lanes_;
    AudienceLists audiences_;
    Credentials credentials_;
    Placer placer_;
    ParkedCalls parked_;
    LegacyTasks legacy_tasks_;
    ModernTasks modern_tasks_;
    Following following_;
    CallRunner calls_;
};

}  // namespace gantry::gateway
