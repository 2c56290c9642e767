#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "io/http/headers.hpp"

namespace gantry::mcp {

/// Who may be named as host and which pages may call: what stands between a browser that was lured elsewhere and a
/// server on this machine.
class HostRules {
public:
    /// See HttpEndpointOptions.
    HostRules(std::vector<std::string> hosts, std::vector<std::string> origins);

    /// A Host field: a name of loopback or a listed one, with any port.
    bool admits_host(std::string_view host) const noexcept;
    /// An Origin field: of loopback, listed, or the very origin that `host` names.
    bool admits_origin(std::string_view origin, std::string_view host) const noexcept;

private:
    bool lists_host(std::string_view name) const noexcept;

    std::vector<std::string> hosts_;
    std::vector<std::string> origins_;
    bool any_host_ = false;
    bool any_origin_ = false;
};

/// What lets a page of `origin` read an answer.
void add_cors(http::Headers& headers, std::string_view origin);
/// What answers a preflight; `asked` is its Access-Control-Request-Headers.
http::Headers preflight(std::string_view origin, std::string_view asked);

}  // namespace gantry::mcp
