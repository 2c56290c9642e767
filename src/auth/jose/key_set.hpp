#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "auth/jose/key.hpp"

namespace gantry::jose {

/// The usable keys of a JWK Set.
///
/// Keys of an unknown kty or curve are left out, as RFC 7517 asks. A set that is ambiguous is refused whole:
/// two keys with one kid and kty, or shared secrets next to public keys (the ground on which an attacker
/// makes a public key pass for a secret). A broken key of a known type is left out and never matches.
class KeySet {
public:
    static Result<KeySet> parse(const Json& document);
    static Result<KeySet> of(std::vector<Key> keys);

    /// Keys that may verify `alg`: those with this kid, or, when the token names none, all that fit.
    std::vector<const Key*> candidates(Alg alg, std::string_view kid) const;
    std::size_t size() const noexcept { return keys_.size(); }
    const std::vector<Key>& keys() const noexcept { return keys_; }

private:
    std::vector<Key> keys_;
};

}  // namespace gantry::jose
