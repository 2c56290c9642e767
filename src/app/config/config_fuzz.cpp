#include <cstdint>
#include <cstdlib>

#include "app/config/config.hpp"

// Parsing an arbitrary configuration file ends with a configuration or an error message.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto config = gantry::app::parse_config(text, "fuzz.yaml");
    if (!config && config.error().message().empty()) std::abort();
    return 0;
}
