#pragma once

#include <string_view>

#include "io/http/headers.hpp"

namespace gantry::app {

/// Whether a request comes from this machine itself: the peer is a loopback address, Host names loopback, and no field
/// says that a proxy forwarded it. A reverse proxy on the same machine has a loopback address too, so the address alone
/// proves nothing.
bool is_local_request(std::string_view peer_address, const http::Headers& headers);

}  // namespace gantry::app
