#include "io/net/address.hpp"

#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>

namespace gantry::net {

namespace {

using Bytes4 = std::array<std::uint8_t, 4>;
using Bytes16 = std::array<std::uint8_t, 16>;

template <std::size_t N>
struct Range {
    std::array<std::uint8_t, N> prefix;
    int bits;
    AddressKind kind;
};

using enum AddressKind;

constexpr Range<4> kRanges4[] = {
    {{0, 0, 0, 0}, 8, kUnspecified},   {{10, 0, 0, 0}, 8, kPrivate},       {{100, 64, 0, 0}, 10, kPrivate},
    {{127, 0, 0, 0}, 8, kLoopback},    {{169, 254, 0, 0}, 16, kLinkLocal}, {{172, 16, 0, 0}, 12, kPrivate},
    {{192, 0, 0, 0}, 24, kReserved},   {{192, 0, 2, 0}, 24, kReserved},    {{192, 88, 99, 0}, 24, kReserved},
    {{192, 168, 0, 0}, 16, kPrivate},  {{198, 18, 0, 0}, 15, kReserved},   {{198, 51, 100, 0}, 24, kReserved},
    {{203, 0, 113, 0}, 24, kReserved}, {{224, 0, 0, 0}, 4, kMulticast},    {{255, 255, 255, 255}, 32, kMulticast},
    {{240, 0, 0, 0}, 4, kReserved},
};

constexpr Range<16> kRanges6[] = {
    {{}, 128, kUnspecified},
    {{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}, 128, kLoopback},
    {{0x00, 0x64, 0xff, 0x9b, 0x00, 0x01}, 48, kPrivate},  // local-use NAT64
    {{0x01, 0x00}, 64, kReserved},                         // discard
    {{0x20, 0x01, 0x00, 0x02}, 48, kReserved},             // benchmarking
    {{0x20, 0x01, 0x00, 0x10}, 28, kReserved},             // ORCHID
    {{0x20, 0x01, 0x0d, 0xb8}, 32, kReserved},             // documentation
    {{0x3f, 0xff}, 20, kReserved},                         // documentation
    {{0x5f, 0x00}, 16, kReserved},                         // segment routing
    {{0xfc}, 7, kPrivate},
    {{0xfe, 0x80}, 10, kLinkLocal},
    {{0xfe, 0xc0}, 10, kPrivate},  // site-local
    {{0xff}, 8, kMulticast},
};

template <std::size_t N>
bool has_prefix(const std::array<std::uint8_t, N>& address, const std::array<std::uint8_t, N>& prefix, int bits) {
    const auto whole = static_cast<std::size_t>(bits / 8);
    if (!std::equal(prefix.begin(), prefix.begin() + static_cast<std::ptrdiff_t>(whole), address.begin())) return false;
    const int rest = bits % 8;
    if (rest == 0) return true;
    const auto mask = static_cast<std::uint8_t>(0xff << (8 - rest));
    return (address[whole] & mask) == (prefix[whole] & mask);
}

template <std::size_t N, std::size_t Count>
AddressKind look_up(const std::array<std::uint8_t, N>& address, const Range<N> (&ranges)[Count]) {
    for (const Range<N>& range : ranges) {
        if (has_prefix(address, range.prefix, range.bits)) return range.kind;
    }
    return kPublic;
}

Bytes4 four_at(const Bytes16& bytes, std::size_t offset) {
    return {bytes[offset], bytes[offset + 1], bytes[offset + 2], bytes[offset + 3]};
}

/// Enumerators are ordered from public to most internal.
AddressKind worse(AddressKind a, AddressKind b) {
    return std::max(a, b);
}

AddressKind embedded(const Bytes16& bytes) {
    constexpr Bytes16 kMapped{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
    constexpr Bytes16 kTranslated{0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
    constexpr Bytes16 kNat64{0x00, 0x64, 0xff, 0x9b};
    constexpr Bytes16 k6to4{0x20, 0x02};
    constexpr Bytes16 kTeredo{0x20, 0x01};
    if (has_prefix(bytes, kMapped, 96) || has_prefix(bytes, Bytes16{}, 96) || has_prefix(bytes, kTranslated, 96) ||
        has_prefix(bytes, kNat64, 96)) {
        return look_up(four_at(bytes, 12), kRanges4);
    }
    if (has_prefix(bytes, k6to4, 16)) return look_up(four_at(bytes, 2), kRanges4);
    if (has_prefix(bytes, kTeredo, 32)) {
        Bytes4 client = four_at(bytes, 12);
        for (std::uint8_t& byte : client) byte = static_cast<std::uint8_t>(~byte);
        return worse(look_up(four_at(bytes, 4), kRanges4), look_up(client, kRanges4));
    }
    const bool isatap = (bytes[8] & 0xfc) == 0 && bytes[9] == 0 && bytes[10] == 0x5e && bytes[11] == 0xfe;
    return isatap ? look_up(four_at(bytes, 12), kRanges4) : kPublic;
}

}  // namespace

std::string_view to_string(AddressKind kind) noexcept {
    switch (kind) {
        case kPublic: return "public";
        case kPrivate: return "private";
        case kLinkLocal: return "link-local";
        case kReserved: return "reserved";
        case kMulticast: return "multicast";
        case kLoopback: return "loopback";
        case kUnspecified: return "unspecified";
    }
    return "unknown";
}

std::optional<Address> Address::parse(std::string_view text) {
    if (text.empty() || text.size() > 255 || text.find('\0') != std::string_view::npos) return std::nullopt;
    addrinfo hints{};
    hints.ai_flags = AI_NUMERICHOST;
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    // A zone names a local interface, which need not exist to classify the address.
    const std::string plain(text.substr(0, text.find('%')));
    if (::getaddrinfo(plain.c_str(), nullptr, &hints, &found) != 0) return std::nullopt;
    const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner(found, ::freeaddrinfo);
    Address address;
    if (found->ai_family == AF_INET6) {
        address.v6 = true;
        std::memcpy(address.bytes.data(), &reinterpret_cast<sockaddr_in6*>(found->ai_addr)->sin6_addr, 16);
    } else {
        std::memcpy(address.bytes.data(), &reinterpret_cast<sockaddr_in*>(found->ai_addr)->sin_addr, 4);
    }
    return address;
}

AddressKind classify(const Address& address) noexcept {
    if (!address.v6) return look_up(four_at(address.bytes, 0), kRanges4);
    const AddressKind outer = look_up(address.bytes, kRanges6);
    // :: and ::1 are inside the IPv4-compatible prefix but are ordinary addresses.
    return outer == kPublic ? embedded(address.bytes) : outer;
}

}  // namespace gantry::net
