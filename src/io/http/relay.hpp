#pragma once

#include <memory>

#include "base/url.hpp"
#include "io/context.hpp"
#include "io/http/client.hpp"
#include "io/http/server.hpp"
#include "io/task.hpp"

namespace gantry::http {

struct Destination;

/// Forwards requests to one origin and its responses back unchanged: the target is kept, hop-by-hop fields
/// are dropped, bodies are streamed with constant memory in both directions. When the client
/// disconnects, the request to the origin is abandoned (noticed within a quarter of a second while no
/// data flows).
///
///     Relay relay(client, origin);
///     Server server(loop, options, [&](const Context& ctx, Exchange& e) { return relay.handle(ctx, e); });
///
/// Failures are answered with 502, or 504 for a timeout; a response that breaks off closes the client's
/// connection, so that it cannot pass for complete.
class Relay {
public:
    /// `client` must outlive the relay. Only the URL's origin is used.
    Relay(Client& client, Url origin);

    Task<void> handle(const Context& ctx, Exchange& exchange) const;

private:
    std::shared_ptr<Pool> pool_;
    std::shared_ptr<const Destination> to_;
};

}  // namespace gantry::http
