#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "base/json/agreement.hpp"

// The first bytes select the splits; split that way or not at all, the incremental scanner must
// agree with the scanner of whole texts.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::uint64_t seed = 0;
    if (size < sizeof seed) return 0;
    std::memcpy(&seed, data, sizeof seed);
    const std::string_view text(reinterpret_cast<const char*>(data) + sizeof seed, size - sizeof seed);
    const gantry::JsonLimits limits{.max_bytes = 1u << 20, .max_depth = 16};
    const std::string disagreement = gantry::json::incremental_disagreement(text, seed, limits);
    if (disagreement.empty()) return 0;
    std::fprintf(stderr, "%s\n", disagreement.c_str());
    std::abort();
}
