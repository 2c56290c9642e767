#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "io/context.hpp"
#include "io/http/client.hpp"
#include "io/task.hpp"

namespace gantry::auth {

struct FetchedResponse {
    int status = 0;
    http::Headers headers;
    std::string body;
    /// The peer's numeric address; empty if unknown.
    std::string peer = {};
};

/// Performs one HTTP request and reads the whole response. Tests substitute a fake.
using Fetch = std::function<Task<Result<FetchedResponse>>(const Context& ctx, http::Request request)>;

struct FetchLimits {
    std::size_t max_body_bytes = 1u << 20;
    Duration timeout = seconds(30);
};

/// Uses `client`, and hence its egress guard. The client must outlive the function.
Fetch make_http_fetch(http::Client& client, FetchLimits limits = {});

/// The network zone of an MCP server, which limits the URLs it may hand out: public addresses always; the local network
/// or this machine only if the server itself is there. The zone follows from an address in the configured URL, or for a
/// name from the addresses it answers from.
class NetworkZone {
public:
    explicit NetworkZone(Url server);

    /// Records the address of an answer. The outermost zone ever seen counts, so that rebinding the name does not give
    /// its owner access.
    void saw(std::string_view address);
    bool is_own(const Url& url) const { return url.origin() == server_.origin(); }
    bool is_this_machine() const noexcept { return place_ == Place::kLoopback; }
    /// Rejects URLs that spell an address the server may not direct us to. Its own origin always passes.
    Result<void> check(const Url& url) const;
    /// The same rule for resolved addresses.
    std::shared_ptr<const net::EgressGuard> rule() const { return rule_; }

private:
    enum class Place : std::uint8_t { kUnknown, kLoopback, kLinkLocal, kPrivate, kPublic };  // innermost first
    static Place place_of(std::string_view address);
    void settle(Place place);

    Url server_;
    Place place_ = Place::kUnknown;
    std::shared_ptr<const net::EgressGuard> rule_;
};

/// For URLs given by a server or its metadata: applies the zone's rule to the URL and to its resolved addresses.
Fetch make_outward_fetch(Fetch inner, std::shared_ptr<NetworkZone> home);

}  // namespace gantry::auth
