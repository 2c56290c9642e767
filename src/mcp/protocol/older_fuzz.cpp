#include "mcp/protocol/older.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <string_view>

// Converts any message of a newer server for every older revision: the result is JSON without anything the revision
// does not define, and converting again changes nothing.

namespace {

using namespace gantry;
using namespace gantry::mcp;

void require(bool holds) {
    if (!holds) std::abort();
}

void lacks(const Json& value, std::initializer_list<std::string_view> keys) {
    if (!value.is_object()) return;
    for (const std::string_view key : keys) require(value.find(key) == nullptr);
}

/// Serializing and parsing preserves the value.
void travels(const Json& value) {
    const auto read = Json::parse(value.dump(), {.max_depth = 200});
    require(read && *read == value);
}

Json settled(Json (*translate)(Json, Revision), const Json& input, Revision revision) {
    Json once = translate(input, revision);
    travels(once);
    require(translate(once, revision) == once);
    return once;
}

Json call_result(Json result, Revision revision) {
    return call_result_for(std::move(result), revision);
}

void for_revision(const Json& input, Revision revision) {
    const bool modern = is_modern(revision);
    const Json tool = settled(tool_for, input, revision);
    const Json prompt = settled(prompt_for, input, revision);
    const Json resource = settled(resource_for, input, revision);
    settled(content_for, input, revision);
    settled(progress_for, input, revision);
    const Json result = settled(call_result, input, revision);
    const Json read = settled(read_result_for, input, revision);
    const Json messages = settled(prompt_result_for, input, revision);
    const Json schema = JsonObject{{"type", "array"}};
    travels(call_result_for(input, revision, &schema));
    if (!modern) {
        for (const Json* one : {&result, &read, &messages}) lacks(*one, {"resultType", "ttlMs", "cacheScope"});
        if (result.is_object()) require(result.find("content") != nullptr);
    }
    if (revision < Revision::k2025_11_25) {
        for (const Json* one : {&tool, &prompt, &resource}) lacks(*one, {"icons"});
        lacks(tool, {"execution"});
    }
    if (revision < Revision::k2025_06_18) {
        for (const Json* one : {&tool, &prompt, &resource}) lacks(*one, {"title"});
        lacks(tool, {"outputSchema"});
        lacks(result, {"structuredContent"});
    }
    if (revision < Revision::k2025_03_26) lacks(tool, {"annotations"});

    if (const auto asked = elicit_params_for(input, revision)) {
        travels(*asked);
        if (revision < Revision::k2025_11_25) lacks(*asked, {"mode"});
        travels(elicit_result_from(input, input, revision));
    }
    ClientCapabilities client;
    client.sampling.emplace();
    if (const auto sampled = sampling_params_for(input, revision, client)) {
        travels(*sampled);
        lacks(*sampled, {"tools"});
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto input = Json::parse({reinterpret_cast<const char*>(data), size});
    if (!input) return 0;
    travels(wrap_schema(*input));
    for (const Revision revision : kAllRevisions) for_revision(*input, revision);
    return 0;
}
