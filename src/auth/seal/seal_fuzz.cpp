#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "auth/seal/key_ring.hpp"
#include "auth/seal/sealer.hpp"
#include "auth/store/sealed.hpp"
#include "gantry/json.hpp"

// Foreign tokens and key files: no such token opens, nor an altered one, and key files are read all or nothing.
//
// A new key for every input: the fuzzer learns from comparisons, and can learn whole tokens from them. One that opened
// in an earlier run must be foreign in this one.

namespace {

using namespace gantry;
using namespace gantry::auth;

void require(bool holds) {
    if (!holds) std::abort();
}

/// One character of `token` replaced, removed or inserted, as selected by the input.
std::string altered(std::string token, std::uint8_t how, std::size_t where) {
    constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_=+/ \n";
    const std::size_t at = where % token.size();
    const char other = kAlphabet[how % kAlphabet.size()];
    switch (how % 3) {
        case 0: token[at] = other; break;
        case 1: token.erase(at, 1 + how % 7); break;
        default: token.insert(at, 1, other); break;
    }
    return token;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    Sealer sealer = *Sealer::ephemeral();
    require(!sealer.open("state", text));

    const std::string token = sealer.seal("state", text);
    const auto opened = sealer.open("state", token);
    require(opened && *opened == text);
    require(!sealer.open("task", token) && !sealer.open("", token));
    require(std::ranges::all_of(token, [](char c) { return c > ' ' && c < 0x7F && c != '"' && c != '\\'; }));
    if (size >= 2) {
        const std::string forged = altered(token, data[0], data[1] + size * 7);
        if (forged != token) require(!sealer.open("state", forged));
    }

    const auto json = Json::parse(text);
    if (!json) return 0;
    const auto ring = key_ring_from(*json);
    if (!ring) return 0;
    for (const SealKey& key : ring->keys) require(key.id.size() == kKeyIdBytes && key.secret.size() == kSealKeyBytes);
    const auto again = key_ring_from(to_json(*ring));
    require(again && to_json(*again) == to_json(*ring));
    return 0;
}
