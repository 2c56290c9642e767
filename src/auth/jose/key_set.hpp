#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "auth/jose/key.hpp"

namespace gantry::jose {

/// The usable keys of a JWK Set.
///
/// Keys of an unknown kty or curve are ignored, as RFC 7517 requires. An ambiguous set is rejected as a whole:
/// two keys with the same kid and kty, or shared secrets next to public keys (which enables attacks that make a
/// public key pass for a secret). An invalid key of a known type is ignored and never matches.
class KeySet {
public:
    static Result<KeySet> parse(const Json& document);
    static Result<KeySet> of(std::vector<Key> keys);

    /// Keys that may verify `alg`: those with this kid or, if the token names none, all suitable ones.
    std::vector<const Key*> candidates(Alg alg, std::string_view kid) const;
    std::size_t size() const noexcept { return keys_.size(); }
    const std::vector<Key>& keys() const noexcept { return keys_; }

private:
    std::vector<Key> keys_;
};

}  // namespace gantry::jose
