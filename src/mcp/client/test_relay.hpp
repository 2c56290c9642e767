#pragma once
// A request to relay, and a client of a scripted HTTP peer to relay it with; for tests.

#include <memory>
#include <string>
#include <vector>

#include "mcp/client/client.hpp"
#include "mcp/transport/http_rig.hpp"

namespace gantry::mcp::testing {

/// A request as sent by another client; owns the text the views refer to.
struct ClientRequest {
    ClientRequest(std::string method, std::string params);
    ClientRequest(const ClientRequest&) = delete;
    ClientRequest& operator=(const ClientRequest&) = delete;

    std::string method;
    std::string text;
    RelayRequest request;
};

struct RelayRig {
    explicit RelayRig(HttpRig& rig) : http(rig) {}

    HttpRig& http;
    std::unique_ptr<Client> client;
    std::vector<std::string> oddities;
    std::vector<std::string> heard;  // free for use by hooks
};
using RelayBody = Task<void> (*)(RelayRig& rig);

/// Standard answers of a server: discovery or initialize (with session "s1", "s2" …), 202 for notifications and
/// answers, no GET stream. True: handled.
Task<bool> served(HttpRig& rig, const Context& ctx, http::Exchange& exchange, const Seen& seen);

/// The requests with that JSON-RPC method that the peer received.
std::vector<Seen> seen_of(const HttpRig& rig, const std::string& method);

/// Reads a stream to its end.
Task<Result<std::string>> drain(RelayStream& stream);

/// Runs `body` with a client of that revision connected to the scripted peer, after `change` saw its configuration.
using ConfigChange = void (*)(StreamableHttpConfig& config);
void run_relay(Revision revision, Script script, RelayBody body, ConfigChange change = nullptr);

/// A relay running concurrently with the test.
struct RunningRelay {
    std::optional<Result<RelayAnswer>> result;
    CancelSource stop;
};
Task<void> run_beside(RelayRig& rig, const RelayRequest& request, std::shared_ptr<RunningRelay> running);

}  // namespace gantry::mcp::testing
