#pragma once
// A scripted HTTP peer in the same loop, for tests.

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "io/http/client.hpp"
#include "io/http/server.hpp"
#include "io/net/egress.hpp"
#include "io/sse/parser.hpp"
#include "io/sync.hpp"
#include "mcp/transport/http_sse.hpp"
#include "mcp/transport/streamable_http.hpp"
#include "mcp/transport/testing.hpp"

namespace gantry::mcp::testing {

/// One request as received by the peer.
struct Seen {
    std::string method;
    std::string target;
    std::map<std::string, std::string> headers;  // names in lower case
    std::string body;
    Json json;

    std::string header(const std::string& name) const;
    std::string rpc_method() const { return std::string(json.string_at("method")); }
};

struct HttpRig;
/// Answers one request. Runs once per request, concurrently.
using Script = Task<void> (*)(HttpRig& rig, const Context& ctx, http::Exchange& exchange, const Seen& seen);
using RigBody = Task<void> (*)(HttpRig& rig);

struct HttpRig {
    explicit HttpRig(Loop& loop, Script script);

    Url url(const std::string& path = "/mcp") const;
    /// A Streamable HTTP configuration for this peer with short timeouts.
    StreamableHttpConfig config();
    Task<void> connect(StreamableHttpConfig with);
    std::size_t count(const std::string& method) const;
    /// Waits until `condition` holds; something in the peer must pulse `changed`.
    Task<bool> until(bool (*condition)(HttpRig&));

    net::EgressGuard guard;
    http::Client client;
    Script script;
    http::Server server;
    std::vector<Seen> seen;
    Event changed;
    int disconnects = 0;
    int step = 0;  // free for use by scripts
    std::string note;
    std::unique_ptr<Connection> connection;

private:
    Task<void> serve(const Context& ctx, http::Exchange& exchange);
};

/// Runs `body` with a started peer and an open Streamable HTTP connection (unless `connect` is false), then closes all.
void run_rig(Script script, RigBody body, bool connect = true);

// Answers for scripts.
Task<void> say_json(const Context& ctx, http::Exchange& exchange, int status, std::string body,
                    http::Headers more = {});
Task<void> start_events(const Context& ctx, http::Exchange& exchange, http::Headers more = {});
Task<void> say_event(const Context& ctx, http::Exchange& exchange, std::string data, std::optional<std::string> id = {},
                     std::optional<milliseconds> retry = {});
/// Holds the exchange open until the client disconnects, then counts it.
Task<void> hold(HttpRig& rig, const Context& ctx, http::Exchange& exchange);
/// {"jsonrpc":"2.0","id":<that of seen>,"result":{}}
std::string result_for(const Seen& seen, const std::string& result = "{}");

/// Answers `initialize` with session "s1" and 202 to notifications; false: not handled.
Task<bool> handshake(const Context& ctx, http::Exchange& exchange, const Seen& seen);
/// The client's side: initialize, revision, initialized.
Task<bool> initialize(HttpRig& rig, Revision revision = Revision::k2025_11_25);

}  // namespace gantry::mcp::testing
