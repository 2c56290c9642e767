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
    /// The numeric address it came from; empty when unknown.
    std::string peer = {};
};

/// How this module reaches the world: one request, one whole answer. Tests put a fake here.
using Fetch = std::function<Task<Result<FetchedResponse>>(const Context& ctx, http::Request request)>;

struct FetchLimits {
    std::size_t max_body_bytes = 1u << 20;
    Duration timeout = seconds(30);
};

/// Through `client`, and so through its egress guard. The client must outlive the function.
Fetch make_http_fetch(http::Client& client, FetchLimits limits = {});

/// Where an MCP server lives, and so what the URLs it hands out may reach: the outside always; this network or this
/// machine only when the server itself is there. An address in its configured URL says so at once, a name when an
/// answer has come from where it leads.
class Neighbourhood {
public:
    explicit Neighbourhood(Url server);

    /// The server answered from this address. The outermost ever seen counts, so that a name that moves
    /// cannot let its owner in.
    void saw(std::string_view address);
    bool is_own(const Url& url) const { return url.origin() == server_.origin(); }
    bool is_this_machine() const noexcept { return place_ == Place::kLoopback; }
    /// Refuses what spells an address the server may not send us to. Its own origin always passes.
    Result<void> check(const Url& url) const;
    /// The same for what a name resolves to.
    std::shared_ptr<const net::EgressGuard> rule() const { return rule_; }

private:
    enum class Place : std::uint8_t { kUnknown, kLoopback, kLinkLocal, kPrivate, kPublic };  // from inside out
    static Place place_of(std::string_view address);
    void settle(Place place);

    Url server_;
    Place place_ = Place::kUnknown;
    std::shared_ptr<const net::EgressGuard> rule_;
};

/// For URLs that a server or its metadata told us: each passes the neighbourhood's rule, as spelled and as resolved.
Fetch make_outward_fetch(Fetch inner, std::shared_ptr<Neighbourhood> home);

}  // namespace gantry::auth
