#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/json/hash.hpp"

namespace gantry::gateway {

/// The same for the same bytes in every process, on every machine and in every later version: parts of public names,
/// and digests that outlive a restart, are built from it. Not for tables with untrusted keys; those use NameHash.
std::uint64_t stable_hash(std::string_view bytes, std::uint64_t seed = 0) noexcept;

/// Eight hexadecimal digits of stable_hash().
std::string stable_hex8(std::string_view bytes, std::uint64_t seed = 0);

/// For hash tables over untrusted names: keyed once per process, supports look-up by string_view.
struct NameHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view name) const noexcept { return json::hash_key(name); }
};

}  // namespace gantry::gateway
