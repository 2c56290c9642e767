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

/// Hosts a server may reach, as its operator lists them: "example.com", "*.example.com", "example.com:8443". Without a
/// port: 80 and 443. A name that leads inside (loopback, private, link-local addresses) is refused unless it is itself
/// such an address, or localhost: who writes that down means it.
class AllowList {
public:
    explicit AllowList(const std::vector<std::string>& entries, net::Resolve resolve = {});

    bool allows(const std::string& host, std::uint16_t port) const;
    /// kDenied for what is not listed.
    Task<Result<std::vector<net::Endpoint>>> resolve(const Context& ctx, Url url) const;

private:
    struct Entry {
        std::string host;  // or ".suffix"
        std::uint16_t port = 0;
    };
    std::vector<Entry> entries_;
    net::EgressGuard outside_, anywhere_;
};

/// Serves a child through `listener`, which lies inside its network, as long as the result is kept.
std::shared_ptr<void> start_proxy(Loop& loop, Fd listener, const std::vector<std::string>& hosts, net::Resolve resolve,
                                  std::function<void(const std::string& what)> on_note);

}  // namespace gantry::gateway::sandbox
