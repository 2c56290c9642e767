#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "base/json/agreement.hpp"

// The scanner and the tree parser must agree about acceptance, errors and every span.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const std::string disagreement = gantry::json::scan_disagreement(text);
    if (disagreement.empty()) return 0;
    std::fprintf(stderr, "%s\n", disagreement.c_str());
    std::abort();
}
