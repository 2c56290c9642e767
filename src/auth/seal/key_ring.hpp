#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "gantry/error.hpp"
#include "gantry/json.hpp"

namespace gantry::auth {

/// One sealing key and its creation time. Seconds since 1970.
struct SealKey {
    std::string id;      // kKeyIdBytes, random
    std::string secret;  // kSealKeyBytes
    std::chrono::sys_seconds made;
};

inline constexpr std::size_t kKeyIdBytes = 4;

/// The keys of one installation, newest first: the first one seals, all of them open.
struct KeyRing {
    std::vector<SealKey> keys;

    /// Adds a key if there is none or the newest is older than `rotate_after`, and drops keys whose successor is
    /// older than `keep_for`. Returns whether anything changed.
    Result<bool> renew(std::chrono::sys_seconds now, std::chrono::seconds rotate_after, std::chrono::seconds keep_for);
};

Result<SealKey> make_seal_key(std::chrono::sys_seconds now);

/// The form in the key file. kParse for anything else.
Json to_json(const KeyRing& ring);
Result<KeyRing> key_ring_from(const Json& json);

}  // namespace gantry::auth
