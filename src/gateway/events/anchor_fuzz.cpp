#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "gateway/events/chain.hpp"
#include "gateway/events/type_filter.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace gantry::gateway::events;
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    if (const auto link = link_from(text); link && link_from(to_text(*link)) != link) std::abort();
    const std::size_t half = size / 2;
    TypeFilter({std::string(text.substr(0, half))}).wants(text.substr(half));
    return 0;
}
