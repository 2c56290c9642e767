#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace gantry::net {

enum class AddressKind : std::uint8_t {
    kPublic,
    kPrivate,    // RFC 1918, carrier NAT, unique-local, site-local
    kLinkLocal,  // includes cloud instance metadata
    kReserved,   // documentation, benchmarking, protocol assignments, future use
    kMulticast,  // broadcast included
    kLoopback,
    kUnspecified,  // 0.0.0.0/8 and ::, which connect to this machine
};

std::string_view to_string(AddressKind kind) noexcept;

/// An IPv4 or IPv6 address as bytes.
struct Address {
    std::array<std::uint8_t, 16> bytes{};
    bool v6 = false;

    /// Any numeric spelling the resolver accepts: dotted, "0x7f.1", "2130706433", "::1", "fe80::1%eth0".
    static std::optional<Address> parse(std::string_view text);
};

/// The range an address belongs to. An IPv6 address with an embedded IPv4 one (mapped, compatible, NAT64, 6to4,
/// Teredo, ISATAP) is public only if both are.
AddressKind classify(const Address& address) noexcept;

}  // namespace gantry::net
