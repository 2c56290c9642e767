#include "auth/jose/algorithm.hpp"

#include <array>

namespace gantry::jose {
namespace {

struct Row {
    std::string_view name;
    Family family;
    std::size_t hash_size;
    const char* digest;
};

constexpr std::array<Row, 13> kRows{{
    {"HS256", Family::kHmac, 32, "SHA256"},
    {"HS384", Family::kHmac, 48, "SHA384"},
    {"HS512", Family::kHmac, 64, "SHA512"},
    {"RS256", Family::kRsaPkcs1, 32, "SHA256"},
    {"RS384", Family::kRsaPkcs1, 48, "SHA384"},
    {"RS512", Family::kRsaPkcs1, 64, "SHA512"},
    {"PS256", Family::kRsaPss, 32, "SHA256"},
    {"PS384", Family::kRsaPss, 48, "SHA384"},
    {"PS512", Family::kRsaPss, 64, "SHA512"},
    {"ES256", Family::kEcdsa, 32, "SHA256"},
    {"ES384", Family::kEcdsa, 48, "SHA384"},
    {"ES512", Family::kEcdsa, 64, "SHA512"},
    {"EdDSA", Family::kEdwards, 64, nullptr},
}};

const Row& row(Alg alg) noexcept {
    return kRows[static_cast<std::size_t>(alg)];
}

}  // namespace

std::string_view to_string(Alg alg) noexcept {
    return row(alg).name;
}

std::optional<Alg> parse_alg(std::string_view name) noexcept {
    for (std::size_t i = 0; i < kRows.size(); ++i)
        if (kRows[i].name == name) return static_cast<Alg>(i);
    return std::nullopt;
}

Family family_of(Alg alg) noexcept {
    return row(alg).family;
}
std::size_t hash_size(Alg alg) noexcept {
    return row(alg).hash_size;
}
const char* digest_name(Alg alg) noexcept {
    return row(alg).digest;
}

}  // namespace gantry::jose
