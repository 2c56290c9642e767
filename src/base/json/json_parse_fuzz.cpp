#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "gantry/json.hpp"

// Accepted text survives serializing and parsing: same value, same text, pretty or not.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using gantry::Json;
    const auto json = Json::parse({reinterpret_cast<const char*>(data), size});
    if (!json) return 0;
    const std::string text = json->dump();
    if (text.find_first_of("\n\r") != std::string::npos) std::abort();
    const auto again = Json::parse(text);
    if (!again || !(*again == *json) || again->dump() != text) std::abort();
    const auto pretty = Json::parse(json->pretty());
    if (!pretty || !(*pretty == *json)) std::abort();
    const Json copy = *json;
    if (!(copy == *json)) std::abort();
    if (json->is_integer() && json->as_int() && Json(*json->as_int()) != *json) std::abort();
    return 0;
}
