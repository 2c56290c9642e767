#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/url.hpp"
#include "io/context.hpp"
#include "io/task.hpp"

namespace gantry::net {

/// A resolved address the guard has approved; connections go here and nowhere else.
struct Endpoint {
    std::string address;  // numeric, without brackets
    std::uint16_t port = 0;
};

/// What may be reached. The default suits a library: what the user configured goes anywhere,
/// while URLs learnt from a peer (redirects, OAuth metadata) must not reach inside.
struct EgressRules {
    bool allow_http = true;
    /// Loopback, private, link-local (cloud metadata!), unique-local, multicast, unspecified, reserved ranges.
    bool allow_loopback = true;
    bool allow_private = true;
    /// Where clouds keep their metadata; refused also under allow_private when false.
    bool allow_link_local = true;
    /// Host names or "*.suffix"; empty means any.
    std::vector<std::string> allow_hosts;
    std::vector<std::string> deny_hosts;
};

/// Looks a host name up; resolve_host() unless a test says otherwise.
using Resolve =
    std::function<Task<Result<std::vector<Endpoint>>>(const Context& ctx, std::string host, std::uint16_t port)>;

/// Every outgoing URL passes here: scheme, host, then each address it resolves to. The caller
/// connects to the returned addresses, so a second DNS answer cannot change the target.
class EgressGuard {
public:
    explicit EgressGuard(EgressRules rules = {}, Resolve resolve = {});

    /// kDenied with the rule's name; kConnection when the name does not resolve. All addresses that
    /// pass are returned, in the resolver's order.
    Task<Result<std::vector<Endpoint>>> resolve(const Context& ctx, const Url& url) const;

    /// Only the rules, for addresses already known.
    Result<void> check_url(const Url& url) const;
    Result<void> check_address(const std::string& address) const;
    /// Those of the addresses of `host` that pass, in their order; kDenied when none does.
    Result<std::vector<Endpoint>> approve(std::vector<Endpoint> endpoints, const std::string& host) const;

private:
    EgressRules rules_;
    Resolve resolve_;
};

}  // namespace gantry::net
