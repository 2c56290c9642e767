#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "auth/jose/jwt.hpp"
#include "base/crypto/base64url.hpp"

using namespace gantry;

// The first byte selects the parser. Accepted input must also satisfy the parser's guarantees.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const std::string_view input(reinterpret_cast<const char*>(data) + 1, size - 1);
    static const jose::Key key = *jose::Key::generate(jose::Alg::kES256);
    static const jose::KeySet keys = *jose::KeySet::of({key});
    switch (data[0] % 5) {
        case 0:
            if (const auto bytes = crypto::base64url_decode(input); bytes && crypto::base64url_encode(*bytes) != input)
                std::abort();
            break;
        case 1:
            // The private key is unknown: nothing may verify.
            if (jose::verify_jwt(input, keys, {})) std::abort();
            static_cast<void>(jose::decode_unverified(input));
            break;
        case 2:
            if (const auto json = Json::parse(input, {.max_bytes = 1u << 16, .max_depth = 16})) {
                if (const auto parsed = jose::Key::from_jwk(*json)) {
                    static_cast<void>(parsed->public_jwk());
                    static_cast<void>(parsed->thumbprint());
                }
                static_cast<void>(jose::KeySet::parse(*json));
            }
            break;
        case 3: static_cast<void>(jose::Key::from_pem(input)); break;
        default:
            if (const auto json = Json::parse(input, {.max_bytes = 1u << 16, .max_depth = 16}))
                static_cast<void>(jose::check_claims(*json, {.issuer = "i", .audiences = {"a"}}));
            break;
    }
    return 0;
}
