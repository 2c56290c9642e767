#include "gateway/model/trace.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    auto ids = gantry::gateway::read_traceparent(text);
    if (!ids) return 0;
    // What was parsed is rendered the same, except for unknown versions and flags.
    ids->span = ids->parent;
    const std::string said = gantry::gateway::to_traceparent(*ids);
    if (said.substr(2, 51) != text.substr(2, 51)) std::abort();
    return 0;
}
