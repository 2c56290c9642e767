#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "io/net/egress.hpp"

namespace gantry::net {

/// The addresses of a host in the resolver's order, without duplicates. Numeric spellings are answered
/// at once; names are resolved by a few threads of the process. kConnection if there is no such name.
/// After a timeout or cancellation the lookup itself may continue in the background.
Task<Result<std::vector<Endpoint>>> resolve_host(const Context& ctx, std::string host, std::uint16_t port);

}  // namespace gantry::net
