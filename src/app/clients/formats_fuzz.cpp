#include <cstdint>
#include <cstdlib>
#include <string>

#include "app/clients/jsonc.hpp"
#include "app/clients/toml.hpp"

// Parsing arbitrary settings of another program ends with values or an error message, and an entry added to a valid
// file can be read back.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace gantry;
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto toml = app::parse_toml(text);
    if (!toml && toml.error().message().empty()) std::abort();
    const std::string path[] = {"mcpServers", "gantry"};
    const auto put = app::put_member(text, path, Json(JsonObject{{"url", "x"}}));
    if (put) {
        const auto after = app::parse_jsonc(*put);
        if (!after || after->at_pointer("/mcpServers/gantry/url") == nullptr) std::abort();
    }
    return 0;
}
