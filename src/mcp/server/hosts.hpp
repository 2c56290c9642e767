#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "io/http/headers.hpp"

namespace gantry::mcp {

/// Host and Origin checks: they protect a server on this machine from web pages that use the user's browser to call it
/// (DNS rebinding).
class HostRules {
public:
    /// See HttpEndpointOptions.
    HostRules(std::vector<std::string> hosts, std::vector<std::string> origins);

    /// Checks a Host field: a loopback name or a listed one, with any port.
    bool admits_host(std::string_view host) const noexcept;
    /// Checks an Origin field: loopback, listed, or the same origin as `host`.
    bool admits_origin(std::string_view origin, std::string_view host) const noexcept;

private:
    bool lists_host(std::string_view name) const noexcept;

    std::vector<std::string> hosts_;
    std::vector<std::string> origins_;
    bool any_host_ = false;
    bool any_origin_ = false;
};

/// Adds the CORS fields that let a page of `origin` read the answer.
void add_cors(http::Headers& headers, std::string_view origin);
/// The response to a CORS preflight; `asked` is its Access-Control-Request-Headers.
http::Headers preflight(std::string_view origin, std::string_view asked);

}  // namespace gantry::mcp
