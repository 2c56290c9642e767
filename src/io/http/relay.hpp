#pragma once

#include <memory>

#include "base/url.hpp"
#include "io/context.hpp"
#include "io/http/client.hpp"
#include "io/http/server.hpp"
#include "io/task.hpp"

namespace gantry::http {

struct Destination;

/// Passes requests on to one origin and its answers back, as they are: the target stays, fields
/// that belong to a connection are left behind, bodies stream through constant memory in both
/// directions. When the client goes away the request to the origin is given up (noticed within a quarter of
/// a second while nothing flows).
///
///     Relay relay(client, origin);
///     Server server(loop, options, [&](const Context& ctx, Exchange& e) { return relay.handle(ctx, e); });
///
/// What cannot be had is answered with 502, or 504 when it took too long; an answer that breaks in
/// the middle ends the client's connection, so that nobody takes it for whole.
class Relay {
public:
    /// `client` must outlive the relay. Only the URL's origin counts.
    Relay(Client& client, Url origin);

    Task<void> handle(const Context& ctx, Exchange& exchange) const;

private:
    std::shared_ptr<Pool> pool_;
    std::shared_ptr<const Destination> to_;
};

}  // namespace gantry::http
