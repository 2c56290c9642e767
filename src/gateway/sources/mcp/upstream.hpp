#pragma once

#include <memory>
#include <optional>
#include <string>

#include "gateway/model/source_spec.hpp"
#include "gateway/sources/mcp/options.hpp"
#include "io/http/client.hpp"
#include "mcp/client/client.hpp"
#include "mcp/transport/http_caller.hpp"
#include "mcp/transport/shared_child.hpp"

namespace gantry {
class Loop;
}

namespace gantry::gateway {

/// How one configured server is reached: a factory of any number of clients, which share what can be shared.
class Upstream {
public:
    /// Both must outlive it.
    Upstream(Loop& loop, const McpServerSpec& spec, const McpSourceOptions& options);
    ~Upstream();

    /// Makes a client that declares exactly `declare` to a legacy server. `legacy`: opens a legacy session even if the
    /// server speaks both eras. Fails with kInvalidArgument for a specification that can never work.
    Result<std::unique_ptr<mcp::Client>> make_client(mcp::ClientCapabilities declare, mcp::SessionHandlers handlers,
                                                     bool legacy = false);

    /// The transport factory: a pipe to a program for a specification with a command, otherwise HTTP in the form that
    /// it asks for. All of them are used through mcp::Transport alone. Fails as make_client().
    Result<mcp::Route> make_route();

    /// Resolves the configuration's references again. Returns true if existing connections use other values; the caller
    /// then has to renew them all.
    Task<Result<bool>> credentials_changed(const Context& ctx);

    /// Whether a legacy server's requests arrive on the stream of the call they belong to. Otherwise they can only be
    /// attributed while a single call is in flight. Known once a client is connected.
    bool attributes_requests() const noexcept;

    /// Call after every client is closed.
    void close();

private:
    Result<mcp::Route> child_route();
    Result<mcp::Route> http_child_route();
    Result<mcp::Route> url_route();
    /// The specification may be the configured one, or a copy with its references resolved.
    using TransportMaker = Result<std::unique_ptr<mcp::Transport>> (Upstream::*)(const McpServerSpec&);
    Result<std::unique_ptr<mcp::Transport>> transport(TransportMaker make);
    Result<std::unique_ptr<mcp::Transport>> stdio_transport(const McpServerSpec& spec);
    Result<std::unique_ptr<mcp::Transport>> streamable_transport(const McpServerSpec& spec);
    Result<std::unique_ptr<mcp::Transport>> sse_transport(const McpServerSpec& spec);
    Result<std::unique_ptr<mcp::Transport>> http_child_transport(const McpServerSpec& spec);
    std::shared_ptr<mcp::SharedChild> child_of(const McpServerSpec& spec);
    http::ClientOptions http_options() const;
    mcp::HttpConfig http_config(const McpServerSpec& spec, const Url& url) const;

    Loop& loop_;
    const McpServerSpec& spec_;
    const McpSourceOptions& options_;
    std::shared_ptr<mcp::EraCache> eras_;
    net::EgressGuard guard_;
    std::unique_ptr<http::Client> http_;
    std::unique_ptr<http::Authorization> authorization_;  // null: the configured headers are the only credentials
    /// The specification the last connection used, if it had references to resolve.
    std::optional<McpServerSpec> used_;
    /// What the latest connections to a child that serves HTTP share, and the specification it was made from.
    std::shared_ptr<mcp::SharedChild> child_;
    std::optional<McpServerSpec> child_spec_;
    bool mixed_ = false;  // existing connections may use different values
    mcp::Wire wire_ = mcp::Wire::kPipe;
    /// The server turned out to support only HTTP+SSE, which behaves like a pipe.
    std::shared_ptr<bool> fell_back_ = std::make_shared<bool>(false);
};

}  // namespace gantry::gateway
