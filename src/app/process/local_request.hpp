#pragma once

#include <string_view>

#include "io/http/headers.hpp"

namespace gantry::app {

/// Whether a request comes from this machine: the peer address is loopback, Host names loopback, and no header field
/// indicates that a proxy forwarded it. A reverse proxy on the same machine also has a loopback address, so the address
/// alone proves nothing.
bool is_local_request(std::string_view peer_address, const http::Headers& headers);

}  // namespace gantry::app
