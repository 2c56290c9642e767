#pragma once

#include <map>
#include <string>
#include <string_view>

#include "auth/jose/jwt.hpp"
#include "base/url.hpp"

namespace gantry::auth {

/// Creates proofs of possession (RFC 9449) with one key, and tracks the servers' nonces for them.
class DpopProver {
public:
    explicit DpopProver(jose::Key key) : key_(std::move(key)) {}

    /// A fresh proof for one request. With `access_token` it is bound to that token, as resource servers require.
    Result<std::string> prove(std::string_view method, const Url& url, std::string_view access_token,
                              jose::WallTime now) const;

    /// Stores the nonce of a DPoP-Nonce field for the URL's origin. True if it differs from the previous one: only then
    /// is it worthwhile to retry a rejected request.
    bool note_nonce(const Url& url, std::string_view nonce);

    /// Whether this proof has the current nonce.
    bool has_current_nonce(const Url& url, std::string_view proof) const;

    const jose::Key& key() const noexcept { return key_; }

private:
    jose::Key key_;
    std::map<std::string, std::string> nonces_;  // by origin
};

}  // namespace gantry::auth
