#pragma once

#include <memory>
#include <string>

#include "gateway/pipeline/pipeline.hpp"
#include "gateway/registry/registry.hpp"
#include "gateway/runtime/snapshot.hpp"
#include "mcp/server/backend.hpp"
#include "surface/mcp/encode.hpp"

namespace gantry {
class Redactor;
}

namespace gantry::surface {

/// State shared by all scopes of one gateway; must outlive the backends.
struct Gateway {
    gateway::Registry& registry;
    gateway::Pipeline& pipeline;
    mcp::Implementation self;
    /// For this long after startup, a list waits for servers that have not answered yet. Nothing else waits.
    Duration settle = seconds(10);
    /// How long a client's first list waits for servers to report what they offer clients with its capabilities.
    Duration survey = seconds(10);
    TimePoint began = SteadyClock::now();
    Stamp stamp = {};
    /// Redacts secrets in error messages. Null: no secrets are known.
    const Redactor* redactor = nullptr;
};

/// One scope of the gateway behind an MCP endpoint: decodes, calls, encodes; contains no policy.
class GatewayBackend final : public mcp::Backend {
public:
    /// `scope`: "" all, "servers/NAME", "groups/NAME".
    GatewayBackend(Gateway& gateway, std::string scope);

    /// For a client that started this process and is its only one: the handshake waits like a list, so that it includes
    /// the instructions of all servers.
    void complete_handshakes() noexcept { complete_handshakes_ = true; }

    std::shared_ptr<const mcp::Identity> known(const mcp::RequestOrigin& origin) override;
    Task<std::expected<std::shared_ptr<const mcp::Identity>, mcp::Refusal>> identify(
        const Context& ctx, const mcp::RequestOrigin& origin) override;
    Task<std::shared_ptr<const mcp::ServerProfile>> profile(const Context& ctx, const mcp::Peer& peer) override;
    Task<mcp::Answer> answer(const Context& ctx, const mcp::Call& call, mcp::ReplyChannel& line) override;
    void heard(const mcp::Peer& peer, std::string_view method, const Json& params) override;
    Task<Result<std::unique_ptr<mcp::Watch>>> watch(const Context& ctx, mcp::PeerPtr peer, mcp::Interest wanted,
                                                    std::function<void(const mcp::Change&)> tell) override;
    void session_ended(const mcp::Peer& peer) override;

private:
    Task<void> wait_for_servers(const Context& ctx);
    /// Waits for an item that no server offers yet: a client that remembers it may call before its server is up.
    Task<void> wait_for_item(const Context& ctx, gateway::Verb verb, std::string_view name);
    /// Bounded, so that a server that is slow to report what it offers this client delays a list by a moment at most.
    Task<void> survey(const Context& ctx, const gateway::Audience& audience);
    std::shared_ptr<const mcp::Identity> identity_of(std::shared_ptr<const gateway::Principal> principal);
    /// What the caller sees; waits, if it has to be found out first whether `wanted` is among it.
    Task<gateway::SnapshotPtr> find_snapshot(const Context& ctx, const gateway::Audience& audience,
                                             std::optional<gateway::ItemKind> kind, std::string_view wanted);
    Task<mcp::Answer> answer_list(const Context& ctx, const mcp::Call& call, gateway::ItemKind kind, bool reachable);
    Task<mcp::Answer> answer_call(const Context& ctx, const mcp::Call& call, mcp::ReplyChannel& line);

    Gateway& gateway_;
    std::string scope_;
    bool complete_handshakes_ = false;
    std::shared_ptr<const mcp::Identity> last_identity_;
    gateway::CatalogPtr profiled_catalog_;
    std::shared_ptr<const mcp::ServerProfile> profile_;
};

}  // namespace gantry::surface
