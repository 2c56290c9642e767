#include <openssl/core_names.h>

#include <algorithm>
#include <array>
#include <bitset>

#include "auth/jose/key_material.hpp"

namespace gantry::jose {
namespace {

constexpr int kMinRsaBits = 2048;
constexpr int kMaxRsaBits = 8192;  // verification time is quadratic in the size, so keys from outside are limited
constexpr int kMaxExponentBits = 64;

crypto::BigNum get_bignum(const EVP_PKEY* key, const char* name) {
    BIGNUM* value = nullptr;
    if (EVP_PKEY_get_bn_param(key, name, &value) != 1) return nullptr;
    return crypto::BigNum(value);
}

}  // namespace

Result<void> check_rsa_strength(const EVP_PKEY* key) {
    const crypto::BigNum n = get_bignum(key, OSSL_PKEY_PARAM_RSA_N);
    const crypto::BigNum e = get_bignum(key, OSSL_PKEY_PARAM_RSA_E);
    if (!n || !e) return fail(ErrorCode::kParse, "RSA key without modulus or exponent");
    const int bits = BN_num_bits(n.get());
    if (bits < kMinRsaBits) return fail(ErrorCode::kDenied, "RSA key is shorter than 2048 bits");
    if (bits > kMaxRsaBits) return fail(ErrorCode::kLimit, "RSA key is longer than 8192 bits");
    if (!BN_is_odd(n.get())) return fail(ErrorCode::kDenied, "RSA modulus is even");
    if (!BN_is_odd(e.get()) || BN_is_one(e.get()) || BN_num_bits(e.get()) > kMaxExponentBits)
        return fail(ErrorCode::kDenied, "RSA public exponent is unusable");
    if (has_roca_fingerprint(n.get()))
        return fail(ErrorCode::kDenied, "RSA modulus comes from a generator known to be broken (CVE-2017-15361)");
    return {};
}

bool has_roca_fingerprint(const BIGNUM* modulus) {
    // The primes of the affected library are congruent to a power of 65537 modulo a primorial, so the modulus is
    // too. For each small prime: is it inside the subgroup that 65537 generates? By chance all are, once in 2^27.
    constexpr std::array<unsigned, 38> kPrimes{3,   5,   7,   11,  13,  17,  19,  23,  29,  31,  37,  41,  43,
                                               47,  53,  59,  61,  67,  71,  73,  79,  83,  89,  97,  101, 103,
                                               107, 109, 113, 127, 131, 137, 139, 149, 151, 157, 163, 167};
    for (const unsigned prime : kPrimes) {
        std::bitset<168> subgroup;
        for (unsigned power = 1; !subgroup[power]; power = power * (65537u % prime) % prime) subgroup.set(power);
        if (!subgroup[static_cast<unsigned>(BN_mod_word(modulus, prime))]) return false;
    }
    return true;
}

bool is_small_order_ed25519(std::string_view public_key) noexcept {
    using Encoding = std::array<unsigned char, 32>;
    constexpr auto kFilled = [](unsigned char first, unsigned char rest, unsigned char last) {
        Encoding e{};
        e.fill(rest);
        e[0] = first;
        e[31] = last;
        return e;
    };
    static constexpr std::array<Encoding, 7> kSmall{{
        kFilled(0x00, 0x00, 0x00),  // y = 0, order 4
        kFilled(0x01, 0x00, 0x00),  // y = 1, order 1
        kFilled(0xec, 0xff, 0x7f),  // y = p - 1, order 2
        kFilled(0xed, 0xff, 0x7f),  // y = p, not canonical
        kFilled(0xee, 0xff, 0x7f),  // y = p + 1, not canonical
        // order 8
        {0x26, 0xe8, 0x95, 0x8f, 0xc2, 0xb2, 0x27, 0xb0, 0x45, 0xc3, 0xf4, 0x89, 0xf2, 0xef, 0x98, 0xf0,
         0xd5, 0xdf, 0xac, 0x05, 0xd3, 0xc6, 0x33, 0x39, 0xb1, 0x38, 0x02, 0x88, 0x6d, 0x53, 0xfc, 0x05},
        {0xc7, 0x17, 0x6a, 0x70, 0x3d, 0x4d, 0xd8, 0x4f, 0xba, 0x3c, 0x0b, 0x76, 0x0d, 0x10, 0x67, 0x0f,
         0x2a, 0x20, 0x53, 0xfa, 0x2c, 0x39, 0xcc, 0xc6, 0x4e, 0xc7, 0xfd, 0x77, 0x92, 0xac, 0x03, 0x7a},
    }};
    if (public_key.size() != 32) return true;
    Encoding y{};
    std::copy(public_key.begin(), public_key.end(), y.begin());
    y[31] &= 0x7f;  // the sign of x does not change the order
    return std::find(kSmall.begin(), kSmall.end(), y) != kSmall.end();
}

}  // namespace gantry::jose
