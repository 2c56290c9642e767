#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "gantry/error.hpp"

namespace gantry::app {

struct ListenAddress {
    std::string host;  // without brackets
    std::uint16_t port = 0;

    bool is_loopback() const noexcept;
    /// "HOST:PORT", as parse_listen() reads it.
    std::string text() const;
    /// For a URL by which this machine reaches it: brackets around IPv6, and loopback for wildcard addresses.
    std::string authority(std::uint16_t actual_port) const;
};

/// "HOST:PORT", "[::1]:PORT". kInvalidArgument says what is wrong.
Result<ListenAddress> parse_listen(std::string_view text);

}  // namespace gantry::app
