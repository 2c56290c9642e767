#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "auth/jose/key.hpp"
#include "auth/jose/key_set.hpp"

namespace gantry::jose {

/// A decoded compact JWS. Trust nothing in it unless verify() returned it.
struct Jws {
    Json header;
    std::string payload;
    Alg alg = Alg::kES256;
    std::string kid;
};

struct VerifyOptions {
    /// Algorithms the caller accepts; empty means all that the key permits.
    std::vector<Alg> algorithms = {};
    /// Critical header parameters (RFC 7515 4.1.11) the caller processes itself. Any other rejects the token.
    std::vector<std::string> understood_critical = {};
    std::size_t max_bytes = 256u << 10;
};

/// Decodes without verifying: for choosing a key or showing a token to its owner.
Result<Jws> decode_unverified(std::string_view compact, const VerifyOptions& options = {});

/// Uses only `key`: keys inside the token (jwk, jku, x5c, x5u) are ignored.
Result<Jws> verify(std::string_view compact, const Key& key, const VerifyOptions& options = {});
/// Tries the matching keys; see KeySet::candidates.
Result<Jws> verify(std::string_view compact, const KeySet& keys, const VerifyOptions& options = {});

/// `header` may have any parameter except alg and crit; alg comes first in the result.
Result<std::string> sign(const JsonObject& header, std::string_view payload, const Key& key, Alg alg);

}  // namespace gantry::jose
