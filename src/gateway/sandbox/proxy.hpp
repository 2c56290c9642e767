#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "io/fd.hpp"
#include "io/net/egress.hpp"

namespace gantry {
class Loop;
}

namespace gantry::gateway::sandbox {

/// Hosts a server may reach, as configured: "example.com", "*.example.com", "example.com:8443". Without a port: 80 and
/// 443. A name that resolves to an internal address (loopback, private, link-local) is refused, unless the entry itself
/// is such an address, or localhost: then the operator asked for it.
class AllowList {
public:
    explicit AllowList(const std::vector<std::string>& entries, net::Resolve resolve = {});

    bool allows(const std::string& host, std::uint16_t port) const;
    /// kDenied for hosts that are not listed.
    Task<Result<std::vector<net::Endpoint>>> resolve(const Context& ctx, Url url) const;

private:
    struct Entry {
        std::string host;  // or ".suffix"
        std::uint16_t port = 0;
    };
    std::vector<Entry> entries_;
    net::EgressGuard outside_, anywhere_;
};

/// Serves a child through `listener`, a socket inside the child's network, for as long as the result is kept.
std::shared_ptr<void> start_proxy(Loop& loop, Fd listener, const std::vector<std::string>& hosts, net::Resolve resolve,
                                  std::function<void(const std::string& what)> on_note);

}  // namespace gantry::gateway::sandbox
