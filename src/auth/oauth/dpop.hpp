#pragma once

#include <map>
#include <string>
#include <string_view>

#include "auth/jose/jwt.hpp"
#include "base/url.hpp"

namespace gantry::auth {

/// Proofs of possession (RFC 9449) with one key, and the nonces the servers want in them.
class DpopProver {
public:
    explicit DpopProver(jose::Key key) : key_(std::move(key)) {}

    /// A fresh proof for one request. With `access_token` it is bound to that token, as a resource wants it.
    Result<std::string> prove(std::string_view method, const Url& url, std::string_view access_token,
                              jose::WallTime now) const;

    /// Remembers the nonce of a DPoP-Nonce field for the URL's origin. True when it is another one than before:
    /// then, and only then, a refused request is worth repeating.
    bool note_nonce(const Url& url, std::string_view nonce);

    /// Does this proof of ours carry the nonce we would use now?
    bool has_current_nonce(const Url& url, std::string_view proof) const;

    const jose::Key& key() const noexcept { return key_; }

private:
    jose::Key key_;
    std::map<std::string, std::string> nonces_;  // by origin
};

}  // namespace gantry::auth
