#include <cstdint>
#include <cstdlib>

#include "gateway/secrets/env_file.hpp"
#include "gateway/secrets/expand.hpp"

// Parsing an arbitrary env file, or a text with references, ends with values or an error message.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto parsed = gantry::gateway::parse_env_file(text);
    if (!parsed && parsed.error().message().empty()) std::abort();
    const auto expanded = gantry::gateway::expand(
        text, [](const gantry::gateway::Reference&) -> gantry::Result<std::optional<std::string>> { return "x"; });
    if (!expanded && expanded.error().message().empty()) std::abort();
    return 0;
}
