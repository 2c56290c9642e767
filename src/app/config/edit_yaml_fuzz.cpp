#include <cstdint>
#include <cstdlib>

#include "app/config/edit_yaml.hpp"
#include "app/config/yaml.hpp"

// Editing an arbitrary text gives a text with that change, or an error. The first byte selects the edit.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace gantry;
    using namespace gantry::app;
    if (size == 0) return 0;
    const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
    const JsonObject settings{{"command", "npx"}, {"args", JsonArray{"-y", "x: # y"}}};
    Result<std::string> edited;
    switch (data[0] % 4) {
        case 0: edited = add_server(text, "new", settings); break;
        case 1: edited = replace_server(text, "a", settings); break;
        case 2: edited = remove_server(text, "a"); break;
        default: edited = set_in_server(text, "a", "enabled", false); break;
    }
    if (!edited && edited.error().message().empty()) std::abort();
    if (edited && !parse_yaml(*edited)) std::abort();
    return 0;
}
