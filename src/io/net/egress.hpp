#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/url.hpp"
#include "io/context.hpp"
#include "io/task.hpp"

namespace gantry::net {

/// A resolved address approved by the guard; connections go to these only.
struct Endpoint {
    std::string address;  // numeric, without brackets
    std::uint16_t port = 0;
};

/// Which targets may be reached. The defaults suit a library: URLs configured by the user are unrestricted,
/// while URLs learnt from a peer (redirects, OAuth metadata) must not reach internal networks.
struct EgressRules {
    bool allow_http = true;
    /// Loopback, private, link-local (cloud metadata!), unique-local, multicast, unspecified, reserved ranges.
    bool allow_loopback = true;
    bool allow_private = true;
    /// The range of cloud metadata services; if false, rejected even with allow_private.
    bool allow_link_local = true;
    /// Host names or "*.suffix"; empty means any.
    std::vector<std::string> allow_hosts;
    std::vector<std::string> deny_hosts;
};

/// Resolves a host name; resolve_host() unless replaced in a test.
using Resolve =
    std::function<Task<Result<std::vector<Endpoint>>>(const Context& ctx, std::string host, std::uint16_t port)>;

/// Checks every outgoing URL: scheme, host, then each address it resolves to. The caller
/// connects to the returned addresses, so a second DNS answer cannot change the target.
class EgressGuard {
public:
    explicit EgressGuard(EgressRules rules = {}, Resolve resolve = {});

    /// kDenied with the rule's name; kConnection if the name does not resolve. Returns all addresses that
    /// pass, in the resolver's order.
    Task<Result<std::vector<Endpoint>>> resolve(const Context& ctx, const Url& url) const;

    /// Only the rules, without resolving.
    Result<void> check_url(const Url& url) const;
    Result<void> check_address(const std::string& address) const;
    /// The addresses of `host` that pass, in order; kDenied if none does.
    Result<std::vector<Endpoint>> approve(std::vector<Endpoint> endpoints, const std::string& host) const;

private:
    EgressRules rules_;
    Resolve resolve_;
};

}  // namespace gantry::net
